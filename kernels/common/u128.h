/* SPDX-License-Identifier: MIT */
/* Unsigned 128-bit integers, modulo 2^128, for code that must compile for any processor. For 64-bit
 * processors compilers have such a type, and these functions use its operators. For other
 * processors, or if U128_IN_WORDS is defined, u128_words.h computes with two words. Code that runs
 * only on GPUs may use the operators directly. */
#ifndef SMOOTHIMG_U128_H
#define SMOOTHIMG_U128_H

#include "kernels/common/host_device.h"

#include <stdbool.h>
#include <stdint.h>

#if (defined __SIZEOF_INT128__ || defined __CUDACC__) && !defined U128_IN_WORDS

__extension__ typedef unsigned __int128 uint128; /* not in ISO C */

HOST_DEVICE uint128 u128_of(uint64_t high, uint64_t low)
{
    return (uint128)high << 64 | low;
}

HOST_DEVICE uint64_t u128_low(uint128 a)
{
    return (uint64_t)a;
}

HOST_DEVICE uint64_t u128_high(uint128 a)
{
    return (uint64_t)(a >> 64);
}

HOST_DEVICE bool u128_less(uint128 a, uint128 b)
{
    return a < b;
}

HOST_DEVICE uint128 u128_add(uint128 a, uint128 b)
{
    return a + b;
}

HOST_DEVICE uint128 u128_subtract(uint128 a, uint128 b)
{
    return a - b;
}

HOST_DEVICE uint128 u128_multiply(uint64_t a, uint64_t b)
{
    return (uint128)a * b;
}

/* Shifts by 0..127 bits. */
HOST_DEVICE uint128 u128_shift_left(uint128 a, unsigned bits)
{
    return a << bits;
}

HOST_DEVICE uint128 u128_shift_right(uint128 a, unsigned bits)
{
    return a >> bits;
}

/* Returns floor(a / b) and stores a modulo b; b is not 0. */
HOST_DEVICE uint128 u128_divide(uint128 a, uint128 b, uint128 *remainder)
{
    *remainder = a % b;
    return a / b;
}

#else
#include "kernels/common/u128_words.h"
#endif

HOST_DEVICE uint128 u128_add_product(uint128 sum, uint64_t a, uint64_t b)
{
    return u128_add(sum, u128_multiply(a, b));
}

#endif
