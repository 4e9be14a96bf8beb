/* SPDX-License-Identifier: MIT */
/* The pass along a row in doubles. Only for files that have included vectors/reals.h for doubles.
 */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_ROWS_H
#define SMOOTHIMG_SMOOTH_DOUBLES_ROWS_H

#define PLUS_PRODUCT(SUM, TAP, VECTOR) ((SUM) + (TAP) * (VECTOR))
#include "kernels/smooth/cpu/vectors/windows.h"

/* As in loops.h. */
static void filter_any_line(const double *restrict line, const double *restrict taps, int64_t halo,
                            int64_t step, double *restrict out, int64_t n)
{
#if VECTOR_BYTES > 16
    for (int64_t x = 0; x < n && step == 1 && halo >= WIDTH / 2; x += SLID * WIDTH) {
        vector sums[SLID];

        sum_windows(line + x, taps, halo, false, sums);
        UNROLLED
        for (int i = 0; i < SLID; i++)
            *(vector *)(out + x + WIDTH * i) = sums[i];
    }
    if (step == 1 && halo >= WIDTH / 2)
        return;
#endif
    filter_line(line, taps, halo, step, out, n);
}

#endif
