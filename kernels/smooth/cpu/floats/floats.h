/* SPDX-License-Identifier: MIT */
/* Means of float samples, of which a NaN is left out: separable sums in doubles, in a ring
 * (../ring.h), each with the ends of an interval that has the exact mean in it. Where both ends
 * round to the same float, that is the result, since rounding is monotone; where they do not,
 * exact.h computes it.
 *
 * The bound. u = 2^-53. A sample, and a weight / 2^46, are exact in a double; nothing overflows
 * (2^128 * 4 * 4), nothing underflows (a product is at least 2^-149 2^-46 2^-46). Each rounding
 * multiplies a term's part of the sum by a factor (1 + d), |d| <= u, whether or not the compiler
 * fuses multiplication and addition. With R roundings of a term at most, and
 * g = 1.05 R u > (1 + u)^R - 1,
 *
 *     |estimate - V| <= g sum of w |in| <= g Sx Sy max |in|
 *
 * with the magnitude of the finite samples in reach of a block of two rows. Where none of these is
 * negative, sum of w |in| is V itself: the bound is relative then, g V, and a bright star does not
 * cost the dark sky around it a repair. That holds beside NaN and infinities too: sums that have
 * one are not rounded, and skipped ones add nothing. R counts: one rounding for each pair of
 * samples or rows that is added before it is multiplied, one for each product, halo + 1 additions
 * at most, for both axes: halo_x + halo_y + 6. Four are spare: for the ends of the interval, and
 * for V where the estimate is meant. kernels/smooth/floats/floats.h has g.
 *
 * Means are quotients N / A of two such sums, A without negative terms, |N / A| <= max |in|: their
 * bound is g for 2 R + 1 roundings. Where no NaN is in reach and the weights sum to one, A is 1.
 *
 * Infinities and NaN go through the sums, which IEEE 754 treats as the definition asks: only a zero
 * weight would make a NaN of them, and taps without weight are cut off first. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_CPU_H
#define SMOOTHIMG_SMOOTH_FLOATS_CPU_H

#include "kernels/variant.h"

/* Are float samples asked for? */
static inline bool smooth_floats_serves(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES;
}

/* As in struct engine. */
size_t smooth_floats_scratch_bytes(const struct request *request);
const char *smooth_floats_run(const struct piece *piece);

#endif
