/* SPDX-License-Identifier: MIT */
/* These passes sum by recursions (series.h), down the columns and along the rows. Each call
 * computes ARRAY_ROWS rows of a result. The code is compiled once for each instruction set
 * (common/isa.h). */
#ifndef SMOOTHIMG_ARRAYS_RECURSIONS_H
#define SMOOTHIMG_ARRAYS_RECURSIONS_H

#include "kernels/smooth/arrays/host/loops.h"
#include "kernels/smooth/arrays/host/series.h"

/* The arguments of descend(), which advances the recursions down the columns by ARRAY_ROWS rows of
 * a result. */
struct array_descent {
    const struct cosine_series *series;
    /* [i + 1]: the source rows that enter and leave the window at row i of the call; [0]: those at
     * the row before row 0. Their numbers are unsigned samples of 1 or 2 bytes, or doubles. */
    const void *entering[ARRAY_ROWS + 1], *leaving[ARRAY_ROWS + 1];
    int bytes;     /* bytes of a number: 1, 2 or 8 */
    double *state; /* y and d (series.h) of all recursions: array_descent_state() doubles */
    double *outs[ARRAY_ROWS]; /* the rows of the result */
};

/* Returns how many doubles the state of the recursions of n columns takes. */
static inline int64_t array_descent_state(int64_t n)
{
    return (n + ARRAY_ROWS) * MAX_GROUPS * GROUP_TERMS * 2;
}

struct smooth_cosines_loops {
    /* Computes ARRAY_ROWS rows of n columns; n is at least ARRAY_ROWS. */
    void (*descend)(const struct array_descent *descent, int64_t n);

    /* Sums along ARRAY_ROWS rows of n numbers. `step` adjacent numbers are a pixel. The result
     * whose window has number x at its centre is stored at outs[..][x + halo * step]. Reads and
     * writes up to 32 numbers beyond the rows. */
    void (*sum_along)(const struct cosine_series *series, double *const *rows, int64_t step,
                      int64_t n, double *const *outs);
};

#endif
