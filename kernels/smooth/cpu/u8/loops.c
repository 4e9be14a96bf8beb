/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/columns.h"
#include "kernels/smooth/cpu/u8/rows.h"
#include "kernels/smooth/cpu/u8/sample.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

INLINED void widen_vector(const uint8_t *src, int16_t *line, int64_t i)
{
    const words wide = words_widened(src + i);

    memcpy(line + i, &wide, sizeof wide);
}

static void widen(const uint8_t *src, int16_t *line, int64_t n)
{
    int64_t i = 0;

    for (; i + 2 * WORDS <= n; i += 2 * WORDS) {
        widen_vector(src, line, i);
        widen_vector(src, line, i + WORDS);
    }
    if (i + WORDS <= n)
        widen_vector(src, line, i);
    if (n >= WORDS)
        widen_vector(src, line, n - WORDS); /* overlaps the one before */
    else
        for (; i < n; i++)
            line[i] = src[i];
}

INLINED void filter_bytes_of(const uint8_t *src, const struct smooth_u8_weights *weights,
                             int64_t halo, int64_t step, float *sums, int64_t first, int64_t last)
{
    const struct row_taps taps = row_taps(weights, halo);

    for (int64_t x = first; x < last; x += 2 * WORDS)
        sum_samples(&src, 1, x, &taps, halo, step, &sums);
}

/* With one digit the halo is at most U8_ONE_DIGIT_HALO: each halo has an unrolled loop. */
INLINED void filter_bytes_by(const uint8_t *src, const struct smooth_u8_weights *weights,
                             int64_t step, float *sums, int64_t first, int64_t last)
{
#define FILTER(HALO) filter_bytes_of(src, weights, HALO, step, sums, first, last)
    FOR_FEW_TAPS(weights->halo_x, FILTER,
                 weights->halo_x == 0 ? FILTER(0) : FILTER(U8_ONE_DIGIT_HALO));
#undef FILTER
}

static void filter_bytes(const uint8_t *src, const struct smooth_u8_weights *weights, int64_t step,
                         float *sums, int64_t first, int64_t last)
{
    if (step == 1)
        filter_bytes_by(src, weights, 1, sums, first, last);
    else
        filter_bytes_by(src, weights, step, sums, first, last);
}

/* Loops over halos 1 to 4 are unrolled. With a source the halo is never greater. */
INLINED void filter_rows_of(const struct source_rows *source, float *const *rows,
                            const struct smooth_u8_weights *weights, int64_t step,
                            struct order order, uint8_t *const *dst, struct unresolved *unresolved,
                            int64_t n, const struct fetches *ahead)
{
#define FILTER(SOURCE, HALO)                                                                       \
    filter_two_rows(SOURCE, rows, weights, HALO, step, order, dst, unresolved, n, ahead)
#define FILTER_FEW(HALO) FILTER(source, HALO)
    FOR_FEW_TAPS(weights->halo_y, FILTER_FEW, FILTER(NULL, weights->halo_y));
#undef FILTER
#undef FILTER_FEW
}

static const struct order in_bytes_of_grey = {.bytes = true, .grey = true},
                          in_bytes = {.bytes = true}, in_samples = {0};

static void filter_rows(float *const *rows, const struct smooth_u8_weights *weights,
                        uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                        const struct fetches *ahead)
{
    if (weights->grey)
        filter_rows_of(NULL, rows, weights, 1, in_bytes_of_grey, dst, unresolved, n, ahead);
    else if (weights->digits == 1)
        filter_rows_of(NULL, rows, weights, 1, in_bytes, dst, unresolved, n, ahead);
    else
        filter_rows_of(NULL, rows, weights, 1, in_samples, dst, unresolved, n, ahead);
}

static void filter_fused(const struct source_rows *source, float *const *rows,
                         const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                         struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    if (weights->grey)
        filter_rows_of(source, rows, weights, 1, in_bytes_of_grey, dst, unresolved, n, ahead);
    else
        filter_rows_of(source, rows, weights, step, in_bytes, dst, unresolved, n, ahead);
}

/* SSE2 has too few registers for both passes at once. */
#if defined __SSE2__ && !defined __AVX2__
#define FUSED_HALO 0
#else
#define FUSED_HALO U8_FUSED_HALO
#endif

extern const struct smooth_u8_loops FOR_ISA(smooth_u8_loops);
const struct smooth_u8_loops FOR_ISA(smooth_u8_loops) = {
    .filter_bytes = filter_bytes,
    .widen = widen,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .fused_halo = FUSED_HALO,
    .filter_fused = filter_fused,
    .filter_sample = filter_sample,
};
