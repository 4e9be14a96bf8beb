/* SPDX-License-Identifier: MIT */
/* The inner loops of the engine u8, for one instruction set: see loops.h. Integer weights have
 * one or two digits of 15 bits (weights.h). */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/columns.h"
#include "kernels/smooth/cpu/u8/rows.h"
#include "kernels/smooth/cpu/u8/sample.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

INLINED void filter_bytes_of(int64_t halo, const uint8_t *src,
                             const struct smooth_u8_weights *weights, int digits, int64_t step,
                             float *sums, int64_t first, int64_t last)
{
    const struct row_taps taps = row_taps(weights, halo);

    for (int64_t x = first; x < last; x += 2 * WORDS)
        sum_samples(&src, 1, digits, x, &taps, halo, step, &sums);
}

/* With one digit the halo is at most U8_ONE_DIGIT_HALO. Each of these halos has its own unrolled
 * loop. */
INLINED void filter_bytes_by(const uint8_t *src, const struct smooth_u8_weights *weights,
                             int64_t step, float *sums, int64_t first, int64_t last)
{
    if (weights->digits == 2)
        filter_bytes_of(weights->halo_x, src, weights, 2, step, sums, first, last);
    else if (weights->halo_x == 0)
        filter_bytes_of(0, src, weights, 1, step, sums, first, last);
    else
        FOR_FEW_TAPS(weights->halo_x,
                     filter_bytes_of(U8_ONE_DIGIT_HALO, src, weights, 1, step, sums, first, last),
                     filter_bytes_of, src, weights, 1, step, sums, first, last);
}

static void filter_bytes(const uint8_t *src, const struct smooth_u8_weights *weights, int64_t step,
                         float *sums, int64_t first, int64_t last)
{
    if (step == 1)
        filter_bytes_by(src, weights, 1, sums, first, last);
    else
        filter_bytes_by(src, weights, step, sums, first, last);
}

/* The loops for halos 1 to 4 are unrolled. Only filter_fused() passes a source, and only with these
 * halos, so that the loop for all other halos needs none. */
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

static void filter_rows(float *const *rows, const struct smooth_u8_weights *weights,
                        uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                        const struct fetches *ahead)
{
    if (weights->grey)
        filter_rows_of(NULL, rows, weights, 1, true, dst, unresolved, n, ahead);
    else
        filter_rows_of(NULL, rows, weights, 1, false, dst, unresolved, n, ahead);
}

static void filter_fused(const struct source_rows *source, float *const *rows,
                         const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                         struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    if (weights->grey)
        filter_rows_of(source, rows, weights, 1, true, dst, unresolved, n, ahead);
    else
        filter_rows_of(source, rows, weights, step, false, dst, unresolved, n, ahead);
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
    .filter_rows = filter_rows,
    .fused_halo = FUSED_HALO,
    .filter_fused = filter_fused,
    .filter_sample = filter_sample,
};
