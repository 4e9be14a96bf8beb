/* SPDX-License-Identifier: MIT */
/* Passes by recursions, as series.h explains: down the columns and along the rows, of ARRAY_ROWS
 * rows of a result at a time. Compiled once for each instruction set (common/isa.h). */
#ifndef SMOOTHIMG_ARRAYS_RECURSIONS_H
#define SMOOTHIMG_ARRAYS_RECURSIONS_H

#include "kernels/smooth/arrays/loops.h"
#include "kernels/smooth/arrays/series.h"

/* A step of the recursions down the columns (series.h): ARRAY_ROWS rows of a result. */
struct array_descent {
    const struct cosine_series *series;
    /* Source rows that enter and leave the window, the first one a row before the step: samples of
     * 1 or 2 bytes without signs, or doubles. */
    const void *entering[ARRAY_ROWS + 1], *leaving[ARRAY_ROWS + 1];
    int bytes;
    double *state; /* array_descent_state() doubles */
    double *outs[ARRAY_ROWS];
};

/* Returns the length of the state for n columns. */
static inline int64_t array_descent_state(int64_t n)
{
    return (n + ARRAY_ROWS) * MAX_GROUPS * GROUP_TERMS * 2;
}

struct smooth_cosines_loops {
    /* Takes a step with n columns, at least ARRAY_ROWS. */
    void (*descend)(const struct array_descent *descent, int64_t n);

    /* Sums along ARRAY_ROWS rows of n numbers, `step` of them a pixel: the result around number x
     * is at outs[..][x + halo * step]. Reads and writes up to 32 numbers beyond the rows. */
    void (*sum_along)(const struct cosine_series *series, double *const *rows, int64_t step,
                      int64_t n, double *const *outs);
};

#endif
