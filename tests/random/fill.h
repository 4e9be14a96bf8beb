/* SPDX-License-Identifier: MIT */
/* Patterns of samples on which filters, and the repairs of their estimates, have gone wrong before.
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
    FILL_EXTREMES,     /* floats: the greatest, the least, zeros of both signs */
    FILL_SPECIAL,      /* NaN and infinities among them */
    FILL_SPECIAL_LAST, /* FILL_SPECIAL only at the ends of an axis */
    FILL_RAMP,         /* a ramp whose means are exact ties at its samples */
    FILL_HALVES,
    FILL_CHEQUER,
    FILL_IMPULSE,
    FILL_ZEROS,       /* of both signs */
    FILL_NEAR_MIDDLE, /* results next to the middle of two samples */
    FILL_CONSTANT,    /* what is outside, and few others */
    /* Results exactly in the middle of two samples, if the source can hold that number. */
    FILL_TIES,
    FILL_BEYOND, /* from some place of an axis on other samples than before it */
    FILLS
};

extern const char *const fill_names[FILLS + 1];

/* Returns the source's bits in C order. The caller frees them. */
uint64_t *fill_make(const struct test_request *request);

#endif
