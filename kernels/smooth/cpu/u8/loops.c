/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/columns.h"
#include "kernels/smooth/cpu/u8/rows.h"
#include "kernels/smooth/cpu/u8/sample.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

/* WORDS samples from src[i] on. */
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

/* With few taps, all of them are unrolled; with a source there are few. */
INLINED void filter_rows_of(const uint8_t *const *src, float *const *rows,
                            const struct smooth_u8_weights *weights, int64_t step, bool grey,
                            uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                            const struct fetches *ahead)
{
    switch (weights->halo_y) {
    case 1:
        filter_two_rows(src, rows, weights, 1, step, grey, dst, unresolved, n, ahead);
        break;
    case 2:
        filter_two_rows(src, rows, weights, 2, step, grey, dst, unresolved, n, ahead);
        break;
    case 3:
        filter_two_rows(src, rows, weights, 3, step, grey, dst, unresolved, n, ahead);
        break;
    case 4:
        filter_two_rows(src, rows, weights, 4, step, grey, dst, unresolved, n, ahead);
        break;
    default:
        filter_two_rows(NULL, rows, weights, weights->halo_y, step, grey, dst, unresolved, n,
                        ahead);
    }
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

static void filter_fused(const uint8_t *const *src, float *const *rows,
                         const struct smooth_u8_weights *weights, int64_t step, uint8_t *const *dst,
                         struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    if (weights->grey)
        filter_rows_of(src, rows, weights, 1, true, dst, unresolved, n, ahead);
    else
        filter_rows_of(src, rows, weights, step, false, dst, unresolved, n, ahead);
}

/* SSE2 has too few registers for both passes at once. */
#if defined __SSE2__ && !defined __AVX2__
#define FUSED_HALO 0
#else
#define FUSED_HALO U8_FUSED_HALO
#endif

extern const struct smooth_u8_loops FOR_ISA(smooth_u8_loops);
const struct smooth_u8_loops FOR_ISA(smooth_u8_loops) = {
    .widen = widen,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .fused_halo = FUSED_HALO,
    .filter_fused = filter_fused,
    .filter_sample = FILTER_SAMPLE,
};
