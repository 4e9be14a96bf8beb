/* SPDX-License-Identifier: MIT */
/* The inner loops of weighted/weighted.h, compiled once for each instruction set (common/isa.h),
 * and each time for floats and for doubles. "Reals" are either; the void pointers point to them,
 * except src and dst, which point to samples. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H

#include <stdint.h>

#define WEIGHTED_BLOCK 64 /* the n of filter_line and filter_rows is a multiple of this */

struct weighted_loops {
    int bytes; /* of a real */

    /* taps[k] = weights[k] 2^-46, rounded, k = 0..halo */
    void (*set_taps)(const uint64_t *weights, int64_t halo, void *taps);

    /* line[i] = src[i] for alpha, src[i] times the pixel's alpha for colours, i = 0..n-1. line has
     * room up to the next multiple of 64 bytes. */
    void (*take)(const void *src, int32_t sample_bytes, int32_t channels, void *line, int64_t n);

    /* out[x] = sum over k = -halo..halo of taps[|k|] line[x + k step], x = 0..n-1; line has halo *
     * step readable values on either side. */
    void (*filter_line)(const void *line, const void *taps, int64_t halo, int64_t step, void *out,
                        int64_t n);

    /* The same down two rows: sums[r][x] = the sum over k of taps[|k|] rows[halo + r + k][x]. */
    void (*filter_rows)(void *const *rows, const void *taps, int64_t halo, void *const *sums,
                        int64_t n);

    /* rounded[i] = the result for sums[i], rounded, halves up: sums[i] itself for alpha, divided by
     * the pixel's sum for alpha for colours; -1 where that sum is 0. unresolved lists the i below n
     * whose result may be within `bound` of a half; returns how many. */
    int64_t (*divide)(const void *sums, int32_t channels, double bound, int32_t *rounded, int64_t n,
                      int32_t *unresolved);

    /* dst[i] = rounded[i], at most maxval, or src[i] where rounded[i] is -1; i = 0..n-1 */
    void (*narrow)(const int32_t *rounded, const void *src, int32_t sample_bytes, int32_t maxval,
                   void *dst, int64_t n);
};

/* The loops for both kinds of reals. */
struct weighted_precisions {
    const struct weighted_loops *floats, *doubles;
};

#endif
