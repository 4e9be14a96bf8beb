/* SPDX-License-Identifier: MIT */
/* What an operation makes of a smooth, or of derivatives, and the source, sample by sample: after
 * they have been rounded, by whatever variant. Alpha stays that of the source. */
#ifndef SMOOTHIMG_COMBINE_H
#define SMOOTHIMG_COMBINE_H

#include "kernels/variant.h"

#include <stdbool.h>
#include <stddef.h>

#define COMBINE_UNIT 1000          /* of an amount */
#define COMBINE_MAX_AMOUNT 16      /* so that sums fit in 32 bits: 17 * 1000 * 65535 < 2^31 */
#define COMBINE_MIDDLE_OFFSET (-1) /* (maxval + 1) / 2 */

enum combine_kind {
    COMBINE_NOTHING,    /* the smooth itself */
    COMBINE_SHARPEN,    /* in + amount (in - smooth), rounded to the nearest integer, halves up */
    COMBINE_DIFFERENCE, /* in - smooth + offset; both clamped to 0..maxval */
    /* By filters of arrays (arrays.h), in place of a smooth: */
    COMBINE_SMOOTH,   /* the smooth itself: of volumes, or in floats */
    COMBINE_GRADIENT, /* the magnitude of the gradient */
    COMBINE_LAPLACE   /* the Laplacian, and of integers + offset; both clamped to 0..maxval */
};

struct combine {
    enum combine_kind kind;
    int32_t amount; /* in units of 1 / COMBINE_UNIT, 0..COMBINE_MAX_AMOUNT * COMBINE_UNIT; of
                       derivatives above 0: what they are multiplied by */
    int32_t offset; /* 0..65535, or COMBINE_MIDDLE_OFFSET */
    bool floats;    /* of filters of arrays: the result has FLOAT_SAMPLES, whatever the source */
};

/* Of operation i; NULL if it combines nothing. combines: of all operations, or NULL. */
static inline const struct combine *combine_at(const struct combine *combines, int i)
{
    return combines && combines[i].kind != COMBINE_NOTHING ? &combines[i] : NULL;
}

/* Operation i if a filter of arrays does it; or NULL. */
static inline const struct combine *combine_by_arrays(const struct combine *combines, int i)
{
    return combines && combines[i].kind >= COMBINE_SMOOTH ? &combines[i] : NULL;
}

/* Replaces the samples of job->dst, the smooth, by what they make with those of job->src.
 * kept: how many of the last channels stay those of job->src: alpha, and a mask's. derivatives: of
 * integers, all samples of the result, row after row without gaps: they are the smooth; else NULL.
 * By job->threads threads. combine: NULL: does nothing. */
void combine_job(const struct combine *combine, int32_t kept, const int32_t *derivatives,
                 const struct job *job);

#endif
