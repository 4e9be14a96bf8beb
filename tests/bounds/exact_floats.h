/* SPDX-License-Identifier: MIT */
/* Exact sums of floats, to compare with the doubles that estimate them. */
#ifndef SMOOTHIMG_EXACT_FLOATS_H
#define SMOOTHIMG_EXACT_FLOATS_H

#include "kernels/common/float_sum.h"

#include <math.h>
#include <string.h>

static inline uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* *sum += weight * value; weight < 2^48. `value` must be an exact sum of three floats. */
static inline void float_sum_add_double(struct float_sum *sum, uint64_t weight, double value)
{
    for (int part = 0; part < 3; part++) {
        const float piece = (float)value;

        float_sum_add(sum, weight, float_bits(piece));
        value -= piece;
    }
}

/* *sum -= value * 2^92. `value` must be an exact sum of three floats. On each axis weights are
 * integers in units of 2^-46, so the exact sum of a window is in units of 2^-92. */
static inline void float_sum_subtract(struct float_sum *sum, double value)
{
    struct float_sum product = {{0}};

    float_sum_add_double(&product, (uint64_t)1 << 46, -value);
    float_sum_add_sum(sum, (uint64_t)1 << 46, &product);
}

/* Returns the sum of a window, in the unit of its samples, as a double. The addition of each word
 * of the sum may round. */
static inline double float_sum_value(struct float_sum sum)
{
    const bool negative = wide_take_sign(sum.words, FLOAT_SUM_WORDS);
    double value = 0;

    for (int i = FLOAT_SUM_WORDS - 1; i >= 0; i--)
        value = value * 0x1p64 + (double)sum.words[i];
    return ldexp(negative ? -value : value, -FLOAT_SUM_POINT);
}

#endif
