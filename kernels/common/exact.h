/* SPDX-License-Identifier: MIT */
/* The definition of the filter for integer samples; every variant gives the same results. in(r, c)
 * is the sample in row r and column c; wx(j) and wy(i) are the weights along a row and down a
 * column, in units of 2^-46. The right column gives the bits that a sum needs.
 *
 *     row(r,c) = sum over j of wx(j) in(r, c+j)          64 bits: sum of wx < 2^48, samples < 2^16
 *     out(r,c) = (sum over i of wy(i) row(r+i, c) + 2^91) >> 92,  at most maxval      128 bits
 *
 * Colours weighted by alpha (struct request, weighted) are means, with W(i,j) = wy(i) wx(j) < 2^94:
 *
 *     N = sum of W alpha colour,  A = sum of W alpha,  both over the window            128 bits
 *     out(r,c) = floor(N / A + 1/2) if A > 0, else in(r,c)
 *
 * W sums to less than 2^96, so N stays below 2^128. Along one row the sum of wx alpha colour stays
 * below 2^(48 + 32) = 2^80 and needs 128 bits; for 8-bit samples it stays below 2^64.
 *
 * Everything is an integer, so neither the order of additions nor the device changes a bit. */
#ifndef SMOOTHIMG_EXACT_H
#define SMOOTHIMG_EXACT_H

#include "kernels/common/u128.h"

#define WEIGHT_BITS 46 /* weights are in units of 2^-46, and sum to 2^46 under --norm sum */

/* Rounds a window's sum, in units of 2^-92, to an output sample, halves up. Under --norm sum no
 * result exceeds maxval; under --norm analytic the weights may sum to more than one, and the result
 * is clamped. */
HOST_DEVICE uint32_t exact_round(uint128 total, uint32_t maxval)
{
    const uint128 half = u128_shift_left(u128_of(0, 1), 2 * WEIGHT_BITS - 1);
    const uint64_t rounded = u128_low(u128_shift_right(u128_add(total, half), 2 * WEIGHT_BITS));

    return rounded < maxval ? (uint32_t)rounded : maxval;
}

HOST_DEVICE void exact_add(uint128 *sum, uint64_t weight, uint64_t value)
{
    *sum = u128_add_product(*sum, weight, value);
}

/* *total += weight * sum; the new total is below 2^128 */
HOST_DEVICE void exact_add_sum(uint128 *total, uint64_t weight, uint128 sum)
{
    const uint128 upper = u128_of(weight * u128_high(sum), 0);

    *total = u128_add(u128_add_product(*total, weight, u128_low(sum)), upper);
}

HOST_DEVICE bool exact_is_zero(uint128 sum)
{
    return u128_high(sum) == 0 && u128_low(sum) == 0;
}

/* Returns the output sample of a mean weighted by alpha: colours / cover, with halves rounded up.
 * colours: the sum of weight * alpha * colour over the window; cover: the sum of weight * alpha,
 * not 0. The mean is at most the greatest colour. It is rounded up if twice the remainder `rest` is
 * at least cover; the code compares rest with cover - rest, since 2 rest could overflow. */
HOST_DEVICE uint32_t exact_mean(uint128 colours, uint128 cover)
{
    uint128 rest;
    const uint128 mean = u128_divide(colours, cover, &rest);

    return (uint32_t)u128_low(mean) + !u128_less(rest, u128_subtract(cover, rest));
}

#endif
