/* SPDX-License-Identifier: MIT */
/* The inner loops of the engine of arrays, compiled once for each instruction set (common/isa.h).
 * Loaders convert samples of any type to real numbers, passes filter along one axis, and storers
 * round results and test by error bounds whether each rounding is right. A real number is one
 * double, `value`, or, where that is not precise enough, the sum of two doubles, `value` and
 * `rest`.
 *
 * Terms: a block is ARRAY_BLOCK adjacent numbers of a row. A part is one of the sums that the last
 * pass adds. The unit of a number's last place is the value of the last bit of its significand. */
#ifndef SMOOTHIMG_ARRAYS_LOOPS_H
#define SMOOTHIMG_ARRAYS_LOOPS_H

#include "kernels/common/sample_type.h"
#include "kernels/smooth/arrays/bounds.h"

#define ARRAY_BLOCK 32 /* passes work on blocks of 32 numbers */
/* The greatest number of result rows that one pass computes. These rows share the source rows that
 * the pass reads. */
#define ARRAY_ROWS 8

/* The extremes of some samples. */
struct array_peak {
    double most; /* the greatest magnitude of finite samples, or 0 */
    /* The least sample, or INFINITY if there is none. If a sample is negative or -0, this is some
     * negative number, but not always the least sample. */
    double least;
    double smallest; /* the least magnitude other than 0, or INFINITY */
    bool special;    /* some samples are infinite or NaN */
};

/* A pass along one axis computes `count` adjacent rows of a result:
 *
 *     outs[i][x] = the sum over k = -halo..halo of taps[k] rows[i + k + halo][x] */
struct array_pass {
    const void *const *rows;    /* count + 2 * halo rows, of real numbers or of samples */
    const double *taps, *rests; /* addresses of the tap at distance 0, and of its lower
                                   double */
    int64_t halo;
    int count;
    bool odd, dense; /* odd: taps[-k] = -taps[k], else taps[-k] = taps[k]; dense: no tap is 0 */
    bool adds;       /* adds the sums to the numbers in `outs` */
    bool skips;      /* skips taps of 0, since 0 times an infinity or a NaN is NaN */
    void *outs[ARRAY_ROWS];
    /* For sums in two doubles: their scale U (bounds.h). */
    double scale;
    /* For sums in two doubles: multiplies the two numbers at the same distance from the centre
     * separately, since their sum may be inexact. */
    bool apart;
    int64_t to_rest, out_to_rest; /* doubles from a number to its rest: in `rows` (0: all
                                     rests are 0); in `outs` */
};

/* One sum of the last pass, which runs along a row. For the row's first result, tap k is multiplied
 * by centre[k * step]. */
struct array_part {
    const double *centre, *taps;
    int64_t halo;
    bool odd, dense; /* as in struct array_pass */
};

/* The arguments of the last pass, which adds `count` sums along a row: its parts. */
struct array_line {
    const struct array_part *parts;
    int count;
    int64_t step; /* doubles from the number at a tap to the number at the next tap */
    /* Error bounds of the estimates, one for each ARRAY_BLOCK results. */
    const double *bounds;
    /* If positive: the error bound of each result, in units of the last place of the result as a
     * double. It is positive only if no result can be subnormal as a float. */
    int64_t spread;
    /* Addresses of the first samples of two rows that are prefetched: one that is read soon, and
     * one that is written soon. If to_read is NULL, neither row is prefetched. bytes: the size of a
     * sample at to_read. */
    const char *to_read;
    char *to_write;
    int64_t bytes;
};

/* Estimates of results, and their error bounds: `bounds` is as in struct array_line. */
struct array_estimates {
    const double *value, *rest; /* rest: may be NULL */
    const double *bounds;
    /* An error bound relative to the result, or INFINITY. The lesser of this bound and the one in
     * `bounds` is used. */
    double relative;
    bool proves_zeros; /* an estimate of 0 is exact */
    bool special;      /* some estimates or bounds may be infinite or NaN */
};

/* Sums of weighted samples and sums of their weights, in groups. The last number of a group is the
 * sum of the weights of the others. */
struct array_means {
    int64_t group, n; /* how many numbers a group has; how many results there are */
    bool drops;       /* true: sums of weights are not results; false: weights are alpha, and their
                         sums are results */
    /* The weight of a sample that is not a NaN. Loaded samples are not multiplied by it, so the
     * quotient of the two sums is multiplied by it instead. */
    double one;
    int64_t to_rest; /* doubles from a sum to its rest; 0: sums are single doubles */
    bool is_plain;   /* error bounds are relative to the results; then `bounds` becomes INFINITY */
    bool proves_zeros; /* if a sum of weights is computed as 0, it is exactly 0 */
    /* Error bounds. sums: bounds for the sums of weighted samples, one for each ARRAY_BLOCK
     * results. weights_bound, weights_relative: an absolute and a relative bound for the sums of
     * weights; the lesser of the two is used. rounds: a bound for the roundings of the division,
     * relative to the mean. */
    const double *sums;
    double weights_bound, weights_relative, rounds;
    double *bounds; /* output: error bounds of means, one for each ARRAY_BLOCK results */
    /* Output: 1 for results that have no mean, or may have none, else 0. May be left unset if there
     * are no such results. */
    uint8_t *none;
};

struct array_loops {
    /* Loads n samples that are `stride` bytes apart. If rest is NULL, the rests (lower doubles) are
     * dropped. */
    void (*load)(const void *src, int64_t stride, enum sample_type type, int64_t n, double *value,
                 double *rest);

    /* These functions change loaded numbers in place. drop_nan replaces NaN by 0. weigh_numbers
     * inserts a weight after each number: `one`, or 0 after a NaN, which becomes 0. weigh_by_alpha
     * multiplies the samples of a pixel by its last sample, alpha. If rest is NULL, rests are taken
     * as 0 and are not stored. */
    void (*drop_nan)(int64_t n, double *value);
    void (*weigh_numbers)(double one, int64_t n, double *value, double *rest);
    void (*weigh_by_alpha)(int64_t samples, int64_t pixels, double *value, double *rest);

    /* Replaces sums by means. A result that has no mean becomes 0, or INFINITY if it is not certain
     * that it has none. Returns whether any result has no mean, or may have none. `value` has space
     * for 2 * (means->n + ARRAY_BLOCK) doubles, part of which is working memory. */
    bool (*take_means)(const struct array_means *means, double *value);

    /* Measures n contiguous floats or doubles: updates peaks[0] with the first block - lead
     * samples, and each next peak with the next `block` samples. The pointer is NULL for other
     * types. */
    void (*measure[SAMPLE_TYPES])(const void *samples, int64_t lead, int64_t n, int64_t block,
                                  struct array_peak *peaks);

    /* A pass over real numbers. n is at least ARRAY_BLOCK, and, if pass->adds, a multiple of it. */
    void (*sum)(const struct array_pass *pass, int64_t n);

    /* A pass over contiguous samples; n is at least ARRAY_BLOCK. The pointer is NULL for types that
     * have no such function. */
    void (*sum_samples[SAMPLE_TYPES])(const struct array_pass *pass, int64_t n);

    /* A pass over numbers that are each held in two doubles. n is a multiple of ARRAY_BLOCK. */
    void (*sum_wide)(const struct array_pass *pass, int64_t n);

    /* These functions work on rows of sums. If to_rest is 0, sums are single doubles; otherwise the
     * rest of each sum is `to_rest` doubles after it. n is a multiple of ARRAY_BLOCK. add_squares
     * computes the squares of `term`, and adds them to `total` (if `adds`) or stores them there.
     * take_roots replaces `total` by its square roots. A root whose square may have lost bits to
     * underflow becomes NaN, which leaves the sample unresolved. But it is kept if keeps_small is
     * true, or if the bound of its block is 0: such a block depends on samples of 0 only.
     * make_rests_small makes each rest small beside its number, as take_roots also does. */
    void (*add_squares)(const double *term, int64_t to_rest, bool adds, int64_t n, double *total);
    void (*take_roots)(const double *bounds, int64_t to_rest, bool keeps_small, int64_t n,
                       double *total);
    void (*make_rests_small)(int64_t to_rest, int64_t n, double *total);

    /* Sums along a row, in single doubles. n is a multiple of ARRAY_BLOCK. */
    void (*sum_line)(const struct array_line *line, int64_t n, double *out);

    /* Sums one part (struct array_part) along a row and rounds it into n contiguous samples. All
     * numbers of the part are finite. Returns false if any sample may be wrong, or if n is too
     * small for this function. The pointer is NULL for types that have no such function. */
    bool (*store_line[SAMPLE_TYPES])(const struct array_line *line, int64_t n, char *dst);

    /* Computes means from the sums of one part, whose numbers are 0 or at least LEAST_PLAIN, and
     * rounds them to contiguous samples. Means that are rounded to integers are within the type's
     * range, with errors below means->weights_bound; means that are rounded to floats have the
     * error bound line->spread. Sets *any_none to whether a result has no mean. Returns false if
     * any result may be wrong, or if this function does not compute such groups or so few results.
     * The pointer is NULL for types that have no such function. */
    bool (*store_means[SAMPLE_TYPES])(const struct array_line *line,
                                      const struct array_means *means, char *dst, bool *any_none);

    /* Rounds n numbers into samples that are `stride` bytes apart. Sets open[x] to 1 if sample x
     * may be wrong, otherwise to 0. Returns whether any sample may be wrong. */
    bool (*store)(const struct array_estimates *from, enum sample_type type, int64_t n, void *dst,
                  int64_t stride, uint8_t *open);
};

#endif
