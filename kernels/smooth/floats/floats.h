/* SPDX-License-Identifier: MIT */
/* What the variants of smooth have in common for float samples. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_H
#define SMOOTHIMG_SMOOTH_FLOATS_H

#include "kernels/variant.h"

/* For `refuses`. The mean of floats weighted by a float alpha would have to define what a negative,
 * infinite or missing weight means, and how a sum of weights that vanishes divides: no file format
 * says, and most float images with alpha have their colours multiplied by it already, which are
 * right to smooth separately. So nothing is guessed. */
static inline const char *refuses_weighted_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES && request->weighted
               ? "floats are not weighted by alpha: smooth each channel by itself"
               : NULL;
}

/* The bound on the error of a sum in doubles, relative to the sum of its terms' magnitudes, each of
 * which is rounded so often; or of the quotient of two such sums, relative to that of their
 * magnitudes. cpu/floats/floats.h derives it. */
static inline double bound_of_doubles(int64_t roundings, bool quotient)
{
    return 1.05 * (double)(quotient ? 2 * roundings + 1 : roundings) * 0x1p-53;
}

/* For sums or for means, where two samples or rows at the same distance are added before they are
 * multiplied. */
static inline double smooth_floats_bound(const struct request *request, bool means)
{
    return bound_of_doubles(request->halo_x + request->halo_y + 10, means);
}

/* Takes the taps without weight off the ends of an axis. The centre stays. */
static inline void cut_axis(const uint64_t **weights, int64_t *halo)
{
    while (*halo > 0 && (*weights)[0] == 0) {
        (*weights)++;
        (*halo)--;
    }
}

/* The same without taps that have no weight: no other weight is 0 then, unless all are, so that
 * sums by IEEE 754 treat infinities and NaN as the definition does. */
static inline struct request cut_idle_taps(const struct request *request)
{
    struct request cut = *request;

    cut_axis(&cut.weights_x, &cut.halo_x);
    cut_axis(&cut.weights_y, &cut.halo_y);
    return cut;
}

/* For `refuses` of a rung: NULL, or why it cannot do what is asked. */
static inline const char *refuses_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES
               ? "it computes integers of 8 and 16 bits; floats need the variant fused or cpu"
               : NULL;
}

/* A value for `refuses` of an engine for integers without a weight. */
static inline const char *refuses_all_but_integers(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES ? "samples are floats"
           : request->weighted              ? "alpha weighs"
                                            : NULL;
}

#endif
