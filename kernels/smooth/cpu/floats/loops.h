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

/* The bits of some samples, as unsigned numbers. */
struct float_extent {
    uint32_t greatest;
    uint32_t least; /* of (bits - 1), so that zeros do not count: they become UINT32_MAX */
};

/* Two rows of the result, of plain samples (floats.h). */
struct float_plain {
    double *const *rows; /* 2 halo_y + 2 of sums along the source rows */
    const double *taps_y;
    int64_t halo_y, n; /* n: at least DOUBLES_BLOCK */
    uint32_t spread;   /* a power of two */
    float *out[2];

    /* For filter_fused, which fills in the last two rows. */
    const double *taps_x;
    int64_t step;
};

#define FLOAT_FUSED_HALO 4

struct smooth_float_loops {
    /* The largest of filter_fused, at most FLOAT_FUSED_HALO; 0: there is none. */
    int64_t fused_halo;

    struct float_extent (*scan)(const uint32_t *src, int64_t n);

    /* line[i] = src[i], i = 0..n-1 */
    void (*widen_plain)(const float *src, double *line, int64_t n);

    /* The same. Of each DOUBLES_BLOCK of them, the last may be shorter:
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

    /* The same for plain samples, each sum rounded once. Tells whether any of them is open. */
    bool (*filter_plain)(const struct float_plain *plain, const struct fetches *ahead);

    /* Both passes in one loop; both halos are halo_y, 1 to fused_halo. source: of the last two
     * rows. */
    bool (*filter_fused)(const struct float_plain *plain, const struct source_rows *source,
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
