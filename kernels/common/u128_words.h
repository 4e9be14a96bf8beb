/* SPDX-License-Identifier: MIT */
/* The functions of u128.h on two 64-bit words. Include u128.h instead. */
#ifndef SMOOTHIMG_U128_WORDS_H
#define SMOOTHIMG_U128_WORDS_H

typedef struct {
    uint64_t high, low;
} uint128;

HOST_DEVICE uint128 u128_of(uint64_t high, uint64_t low)
{
    const uint128 a = {high, low};

    return a;
}

HOST_DEVICE uint64_t u128_low(uint128 a)
{
    return a.low;
}

HOST_DEVICE uint64_t u128_high(uint128 a)
{
    return a.high;
}

HOST_DEVICE bool u128_less(uint128 a, uint128 b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

HOST_DEVICE uint128 u128_add(uint128 a, uint128 b)
{
    const uint64_t low = a.low + b.low;

    return u128_of(a.high + b.high + (low < b.low), low);
}

HOST_DEVICE uint128 u128_subtract(uint128 a, uint128 b)
{
    return u128_of(a.high - b.high - (a.low < b.low), a.low - b.low);
}

/* Multiplies in halves of 32 bits: a = a1 2^32 + a0, b = b1 2^32 + b0. A product of halves plus two
 * numbers of 32 bits fits 64 bits, since (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
HOST_DEVICE uint128 u128_multiply(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t lowest = a0 * b0;
    const uint64_t middle = a1 * b0 + (lowest >> 32);
    const uint64_t other = a0 * b1 + (uint32_t)middle;

    return u128_of(a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)lowest);
}

/* The branches avoid shifting a word by 64, which C leaves undefined. */
HOST_DEVICE uint128 u128_shift_left(uint128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return u128_of(a.low << (bits - 64), 0);
    return u128_of(a.high << bits | a.low >> (64 - bits), a.low << bits);
}

HOST_DEVICE uint128 u128_shift_right(uint128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return u128_of(0, a.high >> (bits - 64));
    return u128_of(a.high >> bits, a.high << (64 - bits) | a.low >> bits);
}

/* Returns the number of zero bits above the highest set bit; a is not 0. */
HOST_DEVICE int u128_leading_zeros(uint128 a)
{
    return a.high ? __builtin_clzll(a.high) : 64 + __builtin_clzll(a.low);
}

/* Long division, one bit of the quotient in each step. The quotients of exact_mean() have up to 16
 * bits, those of float_sum_mean() up to 28, so a division takes at most 28 steps. */
HOST_DEVICE uint128 u128_divide(uint128 a, uint128 b, uint128 *remainder)
{
    uint128 quotient = u128_of(0, 0);

    *remainder = a;
    if (u128_less(a, b))
        return quotient;
    for (int bit = u128_leading_zeros(b) - u128_leading_zeros(a); bit >= 0; bit--) {
        const uint128 part = u128_shift_left(b, (unsigned)bit);

        quotient = u128_shift_left(quotient, 1);
        if (!u128_less(*remainder, part)) {
            *remainder = u128_subtract(*remainder, part);
            quotient.low |= 1;
        }
    }
    return quotient;
}

#endif
