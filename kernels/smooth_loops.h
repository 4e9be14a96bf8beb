/* SPDX-License-Identifier: MIT */
/* The inner loops of smooth_cpu. smooth_loops.c is compiled once for each level of the processor;
 * smooth_loops() gives the best that this machine can run. The result does not depend on it. */
#ifndef SMOOTHIMG_SMOOTH_LOOPS_H
#define SMOOTHIMG_SMOOTH_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define LANES 32 /* samples that filter_line and filter_rows take at a time */

struct smooth_loops {
    const char *level; /* "base", "avx2", "avx512" */

    /* line[i] = src[i], i = 0..n-1 */
    void (*widen_u8)(const uint8_t *src, double *line, int64_t n);
    void (*widen_u16)(const uint16_t *src, double *line, int64_t n);

    /* out[x] = sum over k = -halo..halo of taps[|k|] line[x + k step], x = 0..n-1; n is a multiple
     * of LANES, line has halo * step readable values on either side. */
    void (*filter_line)(const double *line, const double *taps, int64_t halo, int64_t step,
                        double *out, int64_t n);

    /* The same down the rows: out[x] = sum over k of taps[|k|] rows[halo + k][x]. */
    void (*filter_rows)(double *const *rows, const double *taps, int64_t halo, double *out,
                        int64_t n);

    /* Rounds n non-negative sums below 2^31 to integers, halves up, and none above maxval. Returns
     * whether any sum is within bound of a half. */
    bool (*round_row)(const double *sums, int32_t *rounded, int64_t n, int32_t maxval,
                      double bound);

    /* dst[i] = rounded[i], i = 0..n-1 */
    void (*narrow_u8)(const int32_t *rounded, uint8_t *dst, int64_t n);
    void (*narrow_u16)(const int32_t *rounded, uint16_t *dst, int64_t n);
};

/* The best for this processor, or what the environment variable SMOOTHIMG_CPU names, if it is no
 * better than that. */
const struct smooth_loops *smooth_loops(void);

#endif
