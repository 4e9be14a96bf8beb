/* SPDX-License-Identifier: MIT */
/* What the parts of smooth_cpu's float samples share: floats.c, ends.c. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_STATE_H
#define SMOOTHIMG_SMOOTH_FLOATS_STATE_H

#include "kernels/smooth/cpu/floats/exact.h"
#include "kernels/smooth/cpu/floats/loops.h"
#include "kernels/smooth/cpu/floats/reach.h"
#include "kernels/smooth/cpu/ring.h"

/* One thread's state. */
struct floats {
    struct ring ring;
    struct ring there; /* of 1 for each sample that is there, 0 for a NaN */
    const struct smooth_float_loops *loops;
    double sum_x, sum_y;                  /* of the weights, in units of 1 */
    double bound_of_sums, bound_of_means; /* smooth_floats_bound */
    double *taps_x, *taps_y;
    struct float_line line;    /* room + 2 reach: a source row */
    float *low[2];             /* room: for the lower ends of a segment that is no whole blocks */
    struct float_ends ends[2]; /* of two rows; the lower ones may be the rows of the result */
    double *sums[2], *weights[2]; /* of means: N and A of two rows */
    struct float_column *columns; /* for smooth_float_repair */
};

/* Writes row y and, if two, row y + 1, of any samples, by ring_rows. */
void smooth_floats_give_ends(struct floats *floats, int64_t y, bool two, double *const *rows);

#endif
