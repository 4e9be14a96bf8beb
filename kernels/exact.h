/* SPDX-License-Identifier: MIT */
/* The arithmetic of the filter's definition, in the one place that every variant shares.
 *
 *     row(r,c) = sum over j of w(j) in(r, c+j)            64 bits: sum of w < 2^48, samples < 2^16
 *     out(r,c) = (sum over i of w(i) row(r+i, c) + 2^91) >> 92,  at most maxval       128 bits
 *
 * Colours that alpha weighs (struct job, weighted), with W(i,j) = w(i) w(j) < 2^94, are means:
 *
 *     N = sum of W alpha colour,  A = sum of W alpha,  both over the window            128 bits
 *     out(r,c) = floor(N / A + 1/2), for A > 0
 *
 * W sums to less than 2^96, and so N stays below 2^128. A sum along a row or a column, of one w
 * and alpha colour < 2^32, stays below 2^80: 128 bits; of 8-bit samples, below 2^64.
 *
 * All of it is integer: neither the order of the sums nor the device can change a bit. */
#ifndef SMOOTHIMG_EXACT_H
#define SMOOTHIMG_EXACT_H

#include <stdint.h>

#ifdef __CUDACC__
#define EXACT_HOST_DEVICE __host__ __device__
#else
#define EXACT_HOST_DEVICE
#endif

#define WEIGHT_BITS 46 /* weights are in units of 2^-46, and sum to 2^46 under --norm sum */

__extension__ typedef unsigned __int128 uint128; /* gcc, clang and nvcc have it; ISO C has not */

/* The output sample of a total: halves go up. Under --norm sum nothing exceeds maxval; under --norm
 * analytic the weights may sum to more than one, and the result is clamped. */
EXACT_HOST_DEVICE static inline uint32_t exact_round(uint128 total, uint32_t maxval)
{
    const uint128 half = (uint128)1 << (2 * WEIGHT_BITS - 1);
    const uint128 rounded = (total + half) >> (2 * WEIGHT_BITS);

    return rounded < maxval ? (uint32_t)rounded : maxval;
}

/* *sum += weight * value */
EXACT_HOST_DEVICE static inline void exact_add(uint128 *sum, uint64_t weight, uint64_t value)
{
    *sum += (uint128)weight * value;
}

/* *total += weight * sum, below 2^128 */
EXACT_HOST_DEVICE static inline void exact_add_sum(uint128 *total, uint64_t weight, uint128 sum)
{
    *total += weight * sum;
}

EXACT_HOST_DEVICE static inline int exact_is_zero(uint128 sum)
{
    return sum == 0;
}

/* The output sample of a weighted mean, colours / cover, cover > 0: halves go up. It is no greater
 * than the greatest colour. rest >= cover / 2, without a factor that might not fit. */
EXACT_HOST_DEVICE static inline uint32_t exact_mean(uint128 colours, uint128 cover)
{
    const uint128 rest = colours % cover;

    return (uint32_t)(colours / cover) + (rest >= cover - rest);
}

#endif
