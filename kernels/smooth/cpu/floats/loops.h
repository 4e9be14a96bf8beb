/* SPDX-License-Identifier: MIT */
/* The inner loops of smooth_cpu's float samples, compiled once for each instruction set
 * (common/isa.h). Sums are doubles, as in doubles/loops.h. */
#ifndef SMOOTHIMG_SMOOTH_FLOAT_LOOPS_H
#define SMOOTHIMG_SMOOTH_FLOAT_LOOPS_H

#include "kernels/smooth/cpu/loops.h"

#include <stdbool.h>

/* The exact value of an estimate e lies in e * below - off .. e * above + off. */
struct float_bound {
    double below, above, off;
};

/* Where the ends of these intervals go, each rounded to a float. Where both are the same, that is
 * the result. */
struct float_ends {
    float *low, *high;
};

struct smooth_float_loops {
    /* line[i] = src[i], i = 0..n-1. Of each DOUBLES_BLOCK of them, the last may be shorter:
     * tops[b], the greatest of the samples' bits without the sign, and signs[b], the bits of all
     * joined by |. */
    void (*widen)(const uint32_t *src, double *line, int64_t n, uint32_t *tops, uint32_t *signs);

    /* As in ../loops.h. */
    void (*filter_line)(const double *line, const double *taps, int64_t halo, int64_t step,
                        double *out, int64_t n);

    /* The same down two rows, as in ../loops.h, to the ends of the sums' intervals; bound: of each
     * DOUBLES_BLOCK of them. Tells whether they differ in row r: bit r of the result. No sum is -0.
     * n is a multiple of DOUBLES_BLOCK. */
    int (*filter_rows)(double *const *rows, const double *taps, int64_t halo,
                       const struct float_bound *bound, const struct float_ends ends[2], int64_t n,
                       const struct fetches *ahead);

    /* As filter_rows, but without rounding: sums[r][x]. */
    void (*sum_rows)(double *const *rows, const double *taps, int64_t halo, double *const *sums,
                     int64_t n);

    /* The ends of the quotients sums[x] / there[x]; NaN where there[x] is 0. Tells whether any
     * differ. bound: as above. */
    bool (*round_means)(const double *sums, const double *there, const struct float_bound *bound,
                        const struct float_ends *ends, int64_t n);
};

#endif
