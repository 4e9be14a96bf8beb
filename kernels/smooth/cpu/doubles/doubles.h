/* SPDX-License-Identifier: MIT */
/* smooth_cpu in doubles, proved right or computed again: for 16-bit samples, for halos that u8/u8.h
 * does not take, and for rows where its estimate leaves too many samples unresolved.
 *
 * Samples on either side of the centre are added before they are multiplied, which halves the
 * products. Doubles round, but the error is bounded (smooth_doubles_bound), and a value further
 * than the bound from a half rounds to the same integer as the exact sum. A segment with a sample
 * that lies nearer is computed again in integers (smooth_exact_span). So the result is the
 * definition's, whatever the order of the sums, and whether or not the compiler fuses
 * multiplication and addition. */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_H
#define SMOOTHIMG_SMOOTH_DOUBLES_H

#include "kernels/smooth/cpu/ring.h"

/* One thread's state. */
struct smooth_doubles {
    struct ring ring;
    const struct smooth_loops *loops;
    double bound; /* smooth_doubles_bound */

    /* halo_x + 1 and halo_y + 1 of them, from the centre outwards, the weights in units of 1 */
    double *taps_x, *taps_y;
    double *line;        /* room + 2 reach: the source row in doubles */
    int32_t *rounded[2]; /* room */
    uint64_t *columns;   /* room + 2 reach: for smooth_exact_span */
};

/* The sum of the 2 halo + 1 weights of an axis, in units of 1. */
double smooth_weights_sum(const uint64_t *weights, int64_t halo);

/* How far a sum in doubles may be from the exact sum / 2^92, in grey levels, if no term of it is
 * rounded more than `roundings` times. */
double smooth_doubles_bound(const struct request *request, int64_t roundings);

extern const struct ring_arithmetic smooth_doubles;

#endif
