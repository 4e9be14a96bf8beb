/* SPDX-License-Identifier: MIT */
/* Declarations about float samples, which the variants of smooth share. */
#ifndef SMOOTHIMG_SMOOTH_FLOATS_H
#define SMOOTHIMG_SMOOTH_FLOATS_H

#include "kernels/variant.h"

/* For the member `refuses` of an engine. Refuses floats that alpha weights, which only the engine
 * for arrays (common/arrays.h) computes. By default floats are not weighted by alpha: no file
 * format defines what a negative or an infinite alpha means, and in most float images with alpha
 * the colours are already multiplied by it. */
static inline const char *refuses_weighted_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES && request->weighted
               ? "floats are not weighted by alpha: smooth each channel by itself"
               : NULL;
}

/* For the member `refuses` of an engine that computes only integers. Returns NULL, or why the
 * engine refuses. */
static inline const char *refuses_floats(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES
               ? "it computes integers of 8 and 16 bits; floats need the variant fused or cpu"
               : NULL;
}

/* For the member `refuses` of an engine that computes neither floats nor samples that alpha
 * weights. Returns NULL, or why the engine refuses. */
static inline const char *refuses_all_but_integers(const struct request *request)
{
    return request->maxval == FLOAT_SAMPLES ? "samples are floats"
           : request->weighted              ? "alpha weighs"
                                            : NULL;
}

#endif
