/* SPDX-License-Identifier: MIT */
/* Patterns of samples that have revealed errors of filters before. */
#ifndef SMOOTHIMG_RANDOM_FILL_H
#define SMOOTHIMG_RANDOM_FILL_H

#include "tests/random/request.h"

/* "floats:" begins what holds for floats only; integers then get another pattern. */
enum {
    FILL_NOISE,
    FILL_FLAT,
    FILL_FLAT_BUT_FEW, /* equal samples, except that a few differ in the last bit */
    FILL_STEPS,        /* runs of equal samples */
    FILL_ENDS,         /* integers: the least value of the type, or maxval; floats: FILL_EXTREMES */
    FILL_FEW,          /* integers from -2 to 4, clamped to the type's range */
    FILL_CANCELS,      /* floats: neighbours have opposite signs, so that sums are small */
    FILL_LAST_BITS,    /* samples differ only in their last bits */
    FILL_WIDE,         /* floats: every exponent */
    FILL_PATCHES,      /* patches of zeros, and patches whose exponents are far apart */
    FILL_SUBNORMAL,
    /* floats of both signs: 0, the smallest subnormal and normal number, the greatest number and
     * the greatest power of two */
    FILL_EXTREMES,
    FILL_SPECIAL,      /* floats: some are NaN or infinite */
    FILL_SPECIAL_LAST, /* floats: NaN or infinite only at the ends of an axis */
    /* Samples grow linearly along each axis, so that smoothing does not change them, except near
     * the ends. Floats: some samples are integers plus 1/2. */
    FILL_RAMP,
    FILL_HALVES, /* floats: integers plus 1/2 */
    FILL_CHEQUER,
    FILL_IMPULSE,
    FILL_ZEROS,       /* floats: zeros of both signs */
    FILL_NEAR_MIDDLE, /* results close to the middle between two values of their type */
    FILL_CONSTANT,    /* mostly the constant that the filter assumes outside of the array */
    /* Some results are exactly halfway between two values of their type, if the source's type
     * allows it. */
    FILL_TIES,
    FILL_BEYOND, /* one pattern before some index of an axis, another one from that index on */
    FILL_LONELY, /* floats: all are NaN, except a few of one exponent, which may be subnormal */
    FILLS
};

extern const char *const fill_names[FILLS + 1];

/* Returns the bits of the source's samples, in C order, painted as request->fill says. The caller
 * frees them. */
uint64_t *fill_make(const struct test_request *request);

#endif
