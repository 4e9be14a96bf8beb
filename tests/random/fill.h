/* SPDX-License-Identifier: MIT */
/* What samples are: patterns on which filters, and what repairs their estimates, have gone wrong.
 */
#ifndef SMOOTHIMG_RANDOM_FILL_H
#define SMOOTHIMG_RANDOM_FILL_H

#include "tests/random/request.h"

enum {
    FILL_NOISE,
    FILL_FLAT,
    FILL_FLAT_BUT_FEW, /* that differ in the last place */
    FILL_STEPS,        /* patches that are flat */
    FILL_ENDS,         /* the least and the greatest */
    FILL_FEW,          /* -2..4 */
    FILL_CANCELS,      /* neighbours of opposite signs */
    FILL_LAST_BITS,    /* neighbours differ in their last bits */
    FILL_WIDE,         /* every exponent */
    FILL_PATCHES,      /* zeros, and exponents that are far apart */
    FILL_SUBNORMAL,
    FILL_EXTREMES,     /* of floats: the greatest, the least, zeros of both signs */
    FILL_SPECIAL,      /* NaN and infinities among them */
    FILL_SPECIAL_LAST, /* these at the ends of an axis alone */
    FILL_RAMP,         /* whose means are exact ties where its samples are */
    FILL_HALVES,
    FILL_CHEQUER,
    FILL_IMPULSE,
    FILL_ZEROS,       /* of both signs */
    FILL_NEAR_MIDDLE, /* results next to the middle of two samples */
    FILL_CONSTANT,    /* what is outside, and few others */
    FILL_TIES,        /* results in the middle of two samples, where the source has such a number */
    FILL_BEYOND,      /* from a place of an axis on others than before it */
    FILLS
};

extern const char *const fill_names[FILLS + 1];

/* The source's bits in C order, which the caller frees. */
uint64_t *fill_make(const struct test_request *request);

#endif
