/* SPDX-License-Identifier: MIT */
/* The inner loops of the engine u8, for one instruction set: see loops.h. Integer weights have
 * one or two digits of 15 bits (weights.h). */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/columns.h"
#include "kernels/smooth/cpu/u8/rows.h"
#include "kernels/smooth/cpu/vectors/doubles.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

INLINED void filter_bytes_of(int64_t halo, const struct source_rows *source,
                             const struct smooth_u8_weights *weights, int digits, int64_t step,
                             float *sums, int64_t n)
{
    const struct row_taps taps = row_taps(weights, halo);

    for (int64_t x = 0; x < n; x += 2 * WORDS)
        sum_source(source, 1, digits, x, &taps, halo, step, &sums);
}

/* With one digit the halo is at most U8_ONE_DIGIT_HALO. Each of these halos has its own unrolled
 * loop. */
INLINED void filter_bytes_by(const struct source_rows *source,
                             const struct smooth_u8_weights *weights, int64_t step, float *sums,
                             int64_t n)
{
    if (weights->digits == 2)
        filter_bytes_of(weights->halo_x, source, weights, 2, step, sums, n);
    else if (weights->halo_x == 0)
        filter_bytes_of(0, source, weights, 1, step, sums, n);
    else
        FOR_FEW_TAPS(weights->halo_x,
                     filter_bytes_of(U8_ONE_DIGIT_HALO, source, weights, 1, step, sums, n),
                     filter_bytes_of, source, weights, 1, step, sums, n);
}

static void filter_bytes(const struct source_rows *source, const struct smooth_u8_weights *weights,
                         int64_t step, float *sums, int64_t n)
{
    const struct source_rows local = *source; /* a copy, which no store to sums changes */

    if (step == 1)
        filter_bytes_by(&local, weights, 1, sums, n);
    else
        filter_bytes_by(&local, weights, step, sums, n);
}

/* The loops for halos 1 to 4 are unrolled. A source comes only with these halos, so the loop for
 * all other halos needs none. */
INLINED void filter_rows_of(const struct source_rows *source, float *const *rows,
                            const struct smooth_u8_weights *weights, int64_t step, bool grey,
                            uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                            const struct fetches *ahead)
{
    FOR_FEW_TAPS(weights->halo_y,
                 filter_two_rows(weights->halo_y, NULL, rows, weights, step, grey, dst, unresolved,
                                 n, ahead),
                 filter_two_rows, source, rows, weights, step, grey, dst, unresolved, n, ahead);
}

static void filter_rows(const struct source_rows *source, float *const *rows,
                        const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                        struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    if (source && weights->grey)
        filter_rows_of(source, rows, weights, 1, true, dst, unresolved, n, ahead);
    else if (source)
        filter_rows_of(source, rows, weights, step, false, dst, unresolved, n, ahead);
    else if (weights->grey)
        filter_rows_of(NULL, rows, weights, 1, true, dst, unresolved, n, ahead);
    else
        filter_rows_of(NULL, rows, weights, 1, false, dst, unresolved, n, ahead);
}

/* --- An unresolved sample, again, in doubles. */

/* Sums the column of the window around the sample at `centre`. */
INLINED double sum_column(const uint8_t *centre, int64_t stride,
                          const struct smooth_u8_weights *weights)
{
    double sum = weights->taps[0] * *centre;

    for (int64_t k = 1; k <= weights->halo_y; k++)
        sum += weights->taps[k] * (centre[-k * stride] + centre[k * stride]);
    return sum;
}

/* Sums SIDE_BY_SIDE columns of the window in two vectors, so that the additions of one do not wait
 * for those of the other. */
#define SIDE_BY_SIDE (2 * WIDTH)

INLINED void sum_columns(const uint8_t *centre, int64_t stride,
                         const struct smooth_u8_weights *weights, vector sums[2])
{
    for (int i = 0; i < 2; i++)
        sums[i] = weights->taps[0] * u8_at(centre + i * WIDTH);
    for (int64_t k = 1; k <= weights->halo_y; k++) {
        const uint8_t *above = centre - k * stride, *below = centre + k * stride;

        UNROLLED
        for (int i = 0; i < 2; i++)
            sums[i] += weights->taps[k] * (u8_at(above + i * WIDTH) + u8_at(below + i * WIDTH));
    }
}

/* Sums each column of the window, multiplies the sum by the column's weight, and adds the
 * products. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t n = 2 * weights->reach + 1;
    const uint8_t *centre = window + weights->halo_y * stride;
    const double *spread = weights->spread;
    vector totals[2] = {0};
    double total = 0;
    int64_t x = 0;

    for (; x + SIDE_BY_SIDE <= n; x += SIDE_BY_SIDE) {
        vector sums[2];

        sum_columns(centre + x, stride, weights, sums);
        for (int i = 0; i < 2; i++)
            totals[i] += at(spread + x + i * WIDTH) * sums[i];
    }
    for (; x < n; x++)
        total += spread[x] * sum_column(centre + x, stride, weights);
    for (int i = 0; i < WIDTH; i++)
        total += totals[0][i] + totals[1][i];
    return total;
}

/* SSE2 has too few registers for both passes at once. */
#if defined __SSE2__ && !defined __AVX2__
#define FUSED_HALO 0
#else
#define FUSED_HALO FEW_TAPS
#endif

extern const struct smooth_u8_loops FOR_ISA(smooth_u8_loops);
const struct smooth_u8_loops FOR_ISA(smooth_u8_loops) = {
    .filter_bytes = filter_bytes,
    .filter_rows = filter_rows,
    .fused_halo = FUSED_HALO,
    .filter_sample = filter_sample,
};
