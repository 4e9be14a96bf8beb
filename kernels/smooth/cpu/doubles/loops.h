/* SPDX-License-Identifier: MIT */
/* The inner loops of smooth_cpu's doubles, compiled once for each instruction set (common/isa.h).
 */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_LOOPS_H
#define SMOOTHIMG_SMOOTH_DOUBLES_LOOPS_H

#include "kernels/smooth/cpu/loops.h"

struct smooth_loops {
    /* line[i] = src[i], i = 0..n-1 */
    void (*widen_u8)(const uint8_t *src, double *line, int64_t n);
    void (*widen_u16)(const uint16_t *src, double *line, int64_t n);

    /* out[x] = sum over k = -halo..halo of taps[|k|] line[x + k step], x = 0..n-1; n is a multiple
     * of DOUBLES_BLOCK, line has halo * step readable values on either side. */
    void (*filter_line)(const double *line, const double *taps, int64_t halo, int64_t step,
                        double *out, int64_t n);

    /* The same down two rows: rounded[r][x] = the sum over k of taps[|k|] rows[halo + r + k][x],
     * r = 0, 1, rounded, halves up. Tells whether any sum of row r may be as near as bound to a
     * half: bit r of the result. The sums are not negative, and below 2^30. */
    int (*filter_rows)(double *const *rows, const double *taps, int64_t halo, double bound,
                       int32_t *const *rounded, int64_t n, const struct fetches *ahead,
                       int64_t bytes);

    /* columns[i] += weight * (above[i] + below[i]), i = 0..n-1. Exact. */
    void (*add_rows_u8)(const uint8_t *above, const uint8_t *below, uint64_t weight,
                        uint64_t *columns, int64_t n);
    void (*add_rows_u16)(const uint16_t *above, const uint16_t *below, uint64_t weight,
                         uint64_t *columns, int64_t n);

    /* dst[i] = rounded[i], but at most maxval, i = 0..n-1 */
    void (*narrow_u8)(const int32_t *rounded, int32_t maxval, uint8_t *dst, int64_t n);
    void (*narrow_u16)(const int32_t *rounded, int32_t maxval, uint16_t *dst, int64_t n);
};

#endif
