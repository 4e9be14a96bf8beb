/* SPDX-License-Identifier: MIT */
/* Declarations that the variants of smooth share for float samples. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_H
#define SMOOTHIMG_SMOOTH_FLOATS_H

#include "kernels/variant.h"

/* For the member `refuses`. Floats that are weighted by alpha are no images: the engine of arrays
 * computes them. No file format defines what a negative or an infinite alpha means, and in most
 * float images with alpha the colours are already multiplied by it, so smoothing them separately is
 * right.
 */
static inline const char *refuses_weighted_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES && request->weighted
               ? "floats are not weighted by alpha: smooth each channel by itself"
               : NULL;
}

/* The bound of the error of a sum in doubles, relative to the sum of its terms' magnitudes, each of
 * which is rounded that many times; or of the quotient of two such sums, relative to that of their
 * magnitudes. u = 2^-53. A sample, and a weight / 2^46, are exact in a double; nothing overflows
 * (2^128 * 4 * 4), nothing underflows (a product is at least 2^-149 2^-46 2^-46). Each rounding
 * multiplies a term's part of the sum by a factor (1 + d), |d| <= u: with R of them,
 *
 *     1.05 R u > (1 + u)^R - 1
 *
 * One rounding for each pair of samples or rows that is added before it is multiplied, one for each
 * product, halo + 1 additions at most, for both axes: halo_x + halo_y + 6, and four spare. Means
 * are quotients N / A, A without negative terms: 2 R + 1. */
static inline double bound_of_doubles(int64_t roundings, bool quotient)
{
    return 1.05 * (double)(quotient ? 2 * roundings + 1 : roundings) * 0x1p-53;
}

/* For sums, or for means, in which two samples or rows at the same distance are added before they
 * are multiplied. */
static inline double smooth_floats_bound(const struct request *request, bool means)
{
    return bound_of_doubles(request->halo_x + request->halo_y + 10, means);
}

/* Removes taps with weight 0 from the ends of an axis. The centre stays. */
static inline void cut_axis(const uint64_t **weights, int64_t *halo)
{
    while (*halo > 0 && (*weights)[0] == 0) {
        (*weights)++;
        (*halo)--;
    }
}

/* The same filter without taps of weight 0. Then no weight is 0, unless all are, so sums by IEEE
 * 754 treat infinities and NaN as the definition does. */
static inline struct request cut_idle_taps(const struct request *request)
{
    struct request cut = *request;

    cut_axis(&cut.weights_x, &cut.halo_x);
    cut_axis(&cut.weights_y, &cut.halo_y);
    return cut;
}

/* For `refuses` of a rung: NULL, or why it cannot compute the request. */
static inline const char *refuses_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES
               ? "it computes integers of 8 and 16 bits; floats need the variant fused or cpu"
               : NULL;
}

/* A value for `refuses` of an engine for integers without weights of samples. */
static inline const char *refuses_all_but_integers(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES ? "samples are floats"
           : request->weighted              ? "alpha weighs"
                                            : NULL;
}

#endif
