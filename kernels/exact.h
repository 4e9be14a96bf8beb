/* SPDX-License-Identifier: MIT */
/* The arithmetic of the filter's definition, in the one place that every variant shares.
 *
 *     row(r,c) = sum over j of w(j) in(r, c+j)            64 bits: sum of w < 2^48, samples < 2^16
 *     out(r,c) = (sum over i of w(i) row(r+i, c) + 2^91) >> 92,  at most maxval       128 bits
 *
 * All of it is integer: neither the order of the sums nor the device can change a bit. */
#ifndef SMOOTHIMG_EXACT_H
#define SMOOTHIMG_EXACT_H

#include "u128.h"

#define WEIGHT_BITS 46 /* weights are in units of 2^-46, and sum to 2^46 under --norm sum */

/* The output sample of a total: halves go up. Under --norm sum nothing exceeds maxval; under --norm
 * analytic the weights may sum to more than one, and the result is clamped. */
U128_FUNCTION uint32_t exact_round(uint128 total, uint32_t maxval)
{
    const uint128 half = u128_shift_left(u128_of(0, 1), 2 * WEIGHT_BITS - 1);
    const uint64_t rounded = u128_low(u128_shift_right(u128_add(total, half), 2 * WEIGHT_BITS));

    return rounded < maxval ? (uint32_t)rounded : maxval;
}

#endif
