/* SPDX-License-Identifier: MIT */
/* The inner loops, compiled once for each instruction set (common/isa.h): loaders turn samples of
 * any type into real numbers, passes filter along one axis, storers round and test.
 *
 * A real number is the sum of `value` and, where one double is not enough, of `rest`. Beside it
 * goes the magnitude, the sum of |weight| |sample| of what it was made of, which the errors of
 * estimates are bounded by (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_LOOPS_H
#define SMOOTHIMG_ARRAYS_LOOPS_H

#include "kernels/common/sample_type.h"

#define ARRAY_BLOCK 32 /* passes take multiples of so many numbers */

/* Numbers are plain if they are 0, or positive and neither tiny nor huge: then they are their own
 * magnitudes, through all passes whose taps are not negative, and magnitudes are not computed.
 * Those of other numbers are at least LEAST_PLAIN, unless they are 0, so that no product with taps
 * makes them 0 (bounds.h). */
#define LEAST_PLAIN 0x1p-600
#define MOST_PLAIN 0x1p600

/* A row of real numbers. */
struct reals {
    double *value;
    double *rest;      /* NULL: 0 */
    double *magnitude; /* NULL: not asked for; of plain numbers it may be `value` */
};

/* How sure estimates are. A sample's error is below absolute + relative * its magnitude; 0, if that
 * is 0. Without magnitudes it is below absolute. */
struct array_bound {
    double relative, absolute;
};

struct array_loops {
    /* Loads the values and rests of n samples, `stride` bytes apart. */
    void (*load)(const void *src, int64_t stride, enum sample_type type, int64_t n,
                 const struct reals *out);

    /* Returns whether n numbers are plain; if not, sets their magnitudes. */
    bool (*measure)(const double *values, int64_t n, double *magnitudes);

    /* out[x] = taps[0] rows[0][x] + the sum over k = 1..halo of taps[k] (rows[k][x] + rows[-k][x]);
     * if odd, of taps[k] (rows[k][x] - rows[-k][x]). Taps of 0 are left out. n: a multiple of
     * ARRAY_BLOCK. */
    void (*sum)(const double *const *rows, const double *taps, int64_t halo, bool odd, double *out,
                int64_t n);

    /* The same of two rows of a result, the second by rows[1 - halo..1 + halo]. No tap is 0, and
     * none is odd: each row is read once for both. */
    void (*sum_two)(const double *const *rows, const double *taps, int64_t halo, double *out,
                    double *second, int64_t n);

    /* The same as sum() of sums of two doubles. rests: NULL: all are 0. */
    void (*sum_wide)(const double *const *rows, const double *const *rests, const double *taps,
                     const double *tap_rests, int64_t halo, bool odd, double *out, double *out_rest,
                     int64_t n);

    /* Rounds n numbers into samples `stride` bytes apart. open[x] is set to whether the sample may
     * be wrong; returns whether any may. */
    bool (*store)(const struct reals *from, const struct array_bound *bound, enum sample_type type,
                  int64_t n, void *dst, int64_t stride, uint8_t *open);
};

#endif
