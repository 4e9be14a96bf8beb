/* SPDX-License-Identifier: MIT */
/* The inner loops, compiled once for each instruction set (common/isa.h): loaders turn samples of
 * any type into real numbers, passes filter along one axis, storers round and test.
 *
 * A real number is the sum of `value` and, where one double is not enough, of `rest`. Beside it
 * goes the magnitude, the sum of |weight| |sample| of what it was made of, which the errors of
 * estimates are bounded by (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_LOOPS_H
#define SMOOTHIMG_ARRAYS_LOOPS_H

#include "kernels/common/host_device.h"
#include "kernels/common/sample_type.h"

#include <math.h>

#define ARRAY_BLOCK 32 /* passes take multiples of so many numbers */
#define ARRAY_ROWS 8   /* of a result, at most, in one pass: they share what they read */

/* Numbers are plain if they are 0, or positive and neither tiny nor huge: then they are their own
 * magnitudes, through all passes whose taps are not negative, and magnitudes are not computed.
 * Those of other numbers are at least LEAST_PLAIN, unless they are 0, so that no product with taps
 * makes them 0 (bounds.h). */
#define LEAST_PLAIN 0x1p-600
#define MOST_PLAIN 0x1p600

HOST_DEVICE bool real_is_plain(double value)
{
    return value == 0 || (value >= LEAST_PLAIN && value <= MOST_PLAIN);
}

/* What a number counts in bounds. */
HOST_DEVICE double real_magnitude(double value)
{
    const double size = fabs(value);

    return size > 0 && size < LEAST_PLAIN ? LEAST_PLAIN : size;
}

/* A row of real numbers. */
struct reals {
    double *value;
    double *rest;      /* NULL: 0 */
    double *magnitude; /* NULL: not asked for; of plain numbers it may be `value` */
    double *scales;    /* of each block, beside rests: see bounds.h */
    double *flats; /* what all samples are that a block comes from, or NaN; NULL: not asked for */
};

/* A pass along one axis: of `count` rows of a result, one after the other, the first by
 * rows[-halo..halo],
 *
 *     out[x] = taps[0] rows[0][x] + the sum over k = 1..halo of taps[k] (rows[k][x] + rows[-k][x])
 *
 * and, if odd, the sum of taps[k] (rows[k][x] - rows[-k][x]). Taps of 0 are left out. */
struct array_pass {
    const double *const *rows;
    int64_t to_rest, out_to_rest; /* from a number to its rest; 0: all are 0 */
    const double *taps, *tap_rests;
    int64_t halo;
    bool odd;
    bool dense; /* no tap is 0, and none is odd */
    int count;
    double *outs[ARRAY_ROWS];
    /* Of each block, for sums of two doubles: see bounds.h. */
    const double *scales;
    const uint8_t *apart; /* the sum of two numbers may be inexact */
};

/* How sure estimates are. A sample's error is below absolute + relative * its magnitude; 0, if that
 * is 0. Without magnitudes it is below absolute. */
struct array_bound {
    double relative, absolute;
};

/* The last pass, along a line, from its centre on: as above, rows[k] being line + k step. No tap is
 * 0 or, beside magnitudes, negative. */
struct array_line {
    const double *values, *magnitudes; /* magnitudes: as in struct reals */
    const double *taps;
    int64_t halo, step;
};

struct array_loops {
    /* Loads the values and rests of n samples, `stride` bytes apart. */
    void (*load)(const void *src, int64_t stride, enum sample_type type, int64_t n,
                 const struct reals *out);

    /* Returns whether n numbers are plain; if not, sets their magnitudes. */
    bool (*measure)(const double *values, int64_t n, double *magnitudes);

    /* scales[x / ARRAY_BLOCK]: the greatest |number| of a block, but for infinities and NaN. */
    void (*most)(const double *values, int64_t n, double *scales);

    /* flats[x / ARRAY_BLOCK]: what all numbers of a block are, or NaN. */
    void (*flat)(const double *values, int64_t n, double *flats);

    /* n: a multiple of ARRAY_BLOCK. */
    void (*sum)(const struct array_pass *pass, int64_t n);

    /* The same of sums of two doubles. */
    void (*sum_wide)(const struct array_pass *pass, int64_t n);

    /* sum += weight + weight_rest times a row, in two doubles. n: a multiple of ARRAY_BLOCK. */
    void (*add_row)(const struct reals *sum, const double *row, const double *magnitudes,
                    double weight, double weight_rest, int64_t n);

    /* Of a row that the last pass has made: rests become what the sum of both loses. magnitudes[x]:
     * the scale of the block; 0 where the number is 0, by row->magnitude or, if that is NULL, since
     * value and rest are, and the scale is finite. Infinities and NaN have no rest. */
    void (*finish)(const struct reals *row, const double *scales, int64_t n, double *magnitudes);

    /* Rounds n numbers into samples `stride` bytes apart. open[x] is set to whether the sample may
     * be wrong; returns whether any may. */
    bool (*store)(const struct reals *from, const struct array_bound *bound, enum sample_type type,
                  int64_t n, void *dst, int64_t stride, uint8_t *open);

    /* Filters n numbers along a line, and rounds them into samples side by side. Returns whether
     * all are sure; false for types that it does not serve. bound->relative: below 1. */
    bool (*store_line)(const struct array_line *line, const struct array_bound *bound,
                       enum sample_type type, int64_t n, void *dst);
};

#endif
