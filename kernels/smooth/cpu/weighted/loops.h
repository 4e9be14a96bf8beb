/* SPDX-License-Identifier: MIT */
/* The inner loops of weighted/weighted.h, compiled once for each instruction set (common/isa.h), in
 * floats and in doubles: "reals", which the void pointers point to. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_LOOPS_H

#include <stdint.h>

#define WEIGHTED_BLOCK 64 /* lengths that the loops want are multiples of this */

struct weighted_loops {
    int bytes; /* of a real */

    /* taps[k] = weights[k] 2^-46, rounded, k = 0..halo */
    void (*set_taps)(const uint64_t *weights, int64_t halo, void *taps);

    /* line[i] = src[i], and colours times the alpha of their pixel, i = 0..n-1. line has room up to
     * the next multiple of 64 bytes. */
    void (*take)(const void *src, int32_t sample_bytes, int32_t channels, void *line, int64_t n);

    /* out[x] = sum over k = -halo..halo of taps[|k|] line[x + k step], x = 0..n-1; line has halo *
     * step readable values on either side. */
    void (*filter_line)(const void *line, const void *taps, int64_t halo, int64_t step, void *out,
                        int64_t n);

    /* The same down two rows: sums[r][x] = the sum over k of taps[|k|] rows[halo + r + k][x]. */
    void (*filter_rows)(void *const *rows, const void *taps, int64_t halo, void *const *sums,
                        int64_t n);

    /* rounded[i] = sums[i], divided by the sum of the pixel's alpha but for alpha itself, and
     * rounded, halves up; -1 where there is no alpha. Lists which of the first n may be as near as
     * bound to a half, and returns how many. */
    int64_t (*divide)(const void *sums, int32_t channels, double bound, int32_t *rounded, int64_t n,
                      int32_t *unresolved);

    /* dst[i] = rounded[i], but at most maxval, and src[i] where that is -1; i = 0..n-1 */
    void (*narrow)(const int32_t *rounded, const void *src, int32_t sample_bytes, int32_t maxval,
                   void *dst, int64_t n);
};

/* Of floats and of doubles. */
struct weighted_precisions {
    const struct weighted_loops *floats, *doubles;
};

#endif
