/* SPDX-License-Identifier: MIT */
/* The inner loops, compiled once for each instruction set (common/isa.h): loaders turn samples of
 * any type into real numbers, passes filter along one axis, storers round and test.
 *
 * A real number is the sum of `value` and, where one double is not enough, of `rest`. */
#ifndef SMOOTHIMG_ARRAYS_LOOPS_H
#define SMOOTHIMG_ARRAYS_LOOPS_H

#include "kernels/common/host_device.h"
#include "kernels/common/sample_type.h"

#include <math.h>

#define ARRAY_BLOCK 32    /* passes take multiples of so many numbers */
#define ARRAY_ROWS 8      /* of a result, at most, in one pass: they share what they read */
#define ARRAY_TILE_ROWS 4 /* of these, whose sums are in registers at a time */

/* Numbers are plain if they are 0, or positive and neither tiny nor huge. */
#define LEAST_PLAIN 0x1p-600
#define MOST_PLAIN 0x1p600

#define LEAST_PLAIN_FACTOR 0x1p-300 /* of plain products */

#define SAFE_SQUARE 0x1p-900 /* its last bits in two doubles are above 2^-1022 */

HOST_DEVICE bool real_is_plain(double value)
{
    return value == 0 || (value >= LEAST_PLAIN && value <= MOST_PLAIN);
}

/* The extremes of some samples. */
struct array_peak {
    double most;     /* the greatest magnitude of finite ones, or 0 */
    double least;    /* the least one; below 0: some are below 0, or -0; or INFINITY */
    double smallest; /* the least magnitude of those that are not 0, or INFINITY */
    bool special;    /* some are infinite, or NaN */
};

/* A pass along one axis: of `count` rows of a result, one after the other,
 *
 *     out i [x] = the sum over k = -halo..halo of taps[k] rows[i + k + halo][x]
 */
struct array_pass {
    const void *const *rows;    /* count + 2 halo, of real numbers or of samples */
    const double *taps, *rests; /* from the centre on, with zeros beyond halo: bounds.h */
    int64_t halo;
    int count;
    bool odd, dense;
    bool adds;  /* to what is there */
    bool skips; /* taps of 0: numbers may be infinite or NaN */
    void *outs[ARRAY_ROWS];
    /* For sums of two doubles: see bounds.h. */
    double scale;
    bool apart;                   /* the sum of two numbers may be inexact */
    int64_t to_rest, out_to_rest; /* from a number to its rest; 0: all are 0 */
};

/* A part of the last pass, along a row from its centre on, where number k is at centre + k step. */
struct array_part {
    const double *centre, *taps;
    int64_t halo;
    bool odd, dense;
};

/* The last pass: sums of parts, or the root of the sum of their squares. */
struct array_line {
    const struct array_part *parts;
    const int *ends; /* of a root: the number of the part behind its last one */
    int roots;
    bool squares;
    bool small_serves; /* roots of squares that may have lost bits to underflow */
    int64_t step;
    const double *bounds; /* of the estimates' errors, of each block of ARRAY_BLOCK */
    double relative;      /* and by the result: the lesser counts; or INFINITY */
    int64_t spread;       /* above 0: the bound in units of a result's last place, where no float
                             that is a result is subnormal */
    const char *to_read;  /* samples that are read soon, of so many bytes, and */
    char *to_write;       /* those written soon: both are fetched; to_read NULL: nothing is */
    int64_t bytes;
};

/* Numbers, and bounds of their errors as above. */
struct array_estimates {
    const double *value, *rest; /* rest: may be NULL */
    const double *bounds;
    double relative;
    bool proves_zeros; /* 0 is 0 */
    bool special;      /* some may be infinite, or NaN */
};

/* Sums of weighed samples and of weights, in groups whose last is the others' weight. */
struct array_means {
    int64_t group, n;  /* n: results */
    bool drops;        /* weights are no results */
    double one;        /* means are multiplied by it: what a sample weighs */
    int64_t to_rest;   /* 0: one double */
    bool is_plain;     /* bounds are relative: none is set */
    bool proves_zeros; /* a sum of weights of 0 is 0 */
    /* Of errors: of sums, by block; of sums of weights, the lesser of two; of what is rounded. */
    const double *sums;
    double weights_bound, weights_relative, rounds;
    double *bounds; /* of means, by block of results: set */
    uint8_t *none; /* of results: whether there is no mean, or may be none; set if there are such */
};

struct array_loops {
    /* Loads n samples, `stride` bytes apart. rest: NULL: it is lost. */
    void (*load)(const void *src, int64_t stride, enum sample_type type, int64_t n, double *value,
                 double *rest);

    /* What is loaded, in place: as samples, with 0 for NaN; with a weight behind each, 0 for NaN,
     * or `one`; of pixels, whose last sample weighs the others. rest: NULL: all are 0. */
    void (*drop_nan)(int64_t n, double *value);
    void (*weigh_numbers)(double one, int64_t n, double *value, double *rest);
    void (*weigh_by_alpha)(int64_t samples, int64_t pixels, double *value, double *rest);

    /* The same at once of n samples side by side; false: not of this type. */
    bool (*load_by_alpha)(const void *src, enum sample_type type, int64_t samples, int64_t n,
                          double *value);

    /* Sums become means: 0 where there is none, or INFINITY where that is not sure. Returns whether
     * there are such. value: room for 2 n. */
    bool (*take_means)(const struct array_means *means, double *value);

    /* Widens a peak by n samples side by side: floats or doubles. measure_blocks: one of each
     * ARRAY_BLOCK, of which the first has `lead` fewer; but for `smallest`. */
    void (*measure[SAMPLE_TYPES])(const void *samples, int64_t n, struct array_peak *peak);
    void (*measure_blocks[SAMPLE_TYPES])(const void *samples, int64_t lead, int64_t n,
                                         struct array_peak *peaks);

    /* A pass over real numbers. n: at least ARRAY_BLOCK; a multiple of it, if it adds. */
    void (*sum)(const struct array_pass *pass, int64_t n);

    /* A pass over samples that lie side by side: n at least ARRAY_BLOCK; NULL: not of this type. */
    void (*sum_samples[SAMPLE_TYPES])(const struct array_pass *pass, int64_t n);

    /* A pass over sums of two doubles. n: a multiple of ARRAY_BLOCK. */
    void (*sum_wide)(const struct array_pass *pass, int64_t n);

    /* For a row of sums of two doubles, n a multiple of ARRAY_BLOCK, each rest `to_rest` behind its
     * number: add_squares adds squares; take_roots takes roots, of which those that underflow may
     * have spoilt become NaN, unless small_serves; make_rests_small makes rests small beside their
     * numbers, as take_roots does too. */
    void (*add_squares)(const double *term, int64_t to_rest, bool adds, int64_t n, double *total);
    void (*take_roots)(int64_t to_rest, bool small_serves, int64_t n, double *total);
    void (*make_rests_small)(int64_t to_rest, int64_t n, double *total);

    /* Sums along a row, in one double. n: a multiple of ARRAY_BLOCK. out: room for 2 n. */
    void (*sum_line)(const struct array_line *line, int64_t n, double *out);

    /* The same of one part, neither squared nor special, rounded into n samples side by side.
     * Returns false if any may be wrong. NULL: not of this type. */
    bool (*store_line[SAMPLE_TYPES])(const struct array_line *line, int64_t n, char *dst);

    /* Means of one part of plain numbers: integers of the type's range, whose errors are below
     * means->weights_bound, or floats, of line->spread. *any_none: as take_means() returns it.
     * Returns false if any may be wrong. NULL: not of this type. */
    bool (*store_means[SAMPLE_TYPES])(const struct array_line *line,
                                      const struct array_means *means, char *dst, bool *any_none);

    /* Rounds n numbers into samples `stride` bytes apart. open[x] is set to whether the sample may
     * be wrong; returns whether any may. */
    bool (*store)(const struct array_estimates *from, enum sample_type type, int64_t n, void *dst,
                  int64_t stride, uint8_t *open);
};

#endif
