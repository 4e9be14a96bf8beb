/* SPDX-License-Identifier: MIT */
/* Exact sums of weighted floats, for the definition of the filter of float samples:
 *
 *     out = (sum over the window of wy(i) wx(j) in(i, j)) / 2^92, rounded to the nearest binary32,
 *           ties to even, gradual underflow included; an exact zero is +0
 *
 * A finite binary32 is m 2^(e - 149) with |m| < 2^24 and e = 0..253, so the sum is an integer in
 * units of 2^(-149 - 92). The weights of an axis sum to less than 2^48: a sum along a row stays
 * below 2^(48 + 24 + 253) = 2^325, and the window's sum below 2^373. Both fit 384 bits with their
 * sign, in two's complement. Every function is integer: no order of the sums, no rounding mode and
 * no device can change a bit.
 *
 * Infinities and NaN have no place in the sum: float_kind tells them from the rest. */
#ifndef SMOOTHIMG_FLOAT_SUM_H
#define SMOOTHIMG_FLOAT_SUM_H

#include "kernels/common/u128.h"

#define FLOAT_SUM_WORDS 6
#define FLOAT_QUIET_NAN 0x7fc00000u
#define FLOAT_INFINITY 0x7f800000u
#define FLOAT_SIGN 0x80000000u
#define FLOAT_UNIT_BIT 92 /* of a sum over the window: the bit that stands for 2^-149 */

/* Words of 64 bits, the lowest first; modulo 2^384. */
struct float_sum {
    uint64_t words[FLOAT_SUM_WORDS];
};

/* What a window has beside finite samples; kinds are joined by |. */
enum float_kind { FLOAT_FINITE = 0, FLOAT_ABOVE = 1, FLOAT_BELOW = 2, FLOAT_NAN = 4 };

HOST_DEVICE unsigned float_kind(uint32_t bits)
{
    if ((bits & ~FLOAT_SIGN) < FLOAT_INFINITY)
        return FLOAT_FINITE;
    if ((bits & ~FLOAT_SIGN) > FLOAT_INFINITY)
        return FLOAT_NAN;
    return bits & FLOAT_SIGN ? FLOAT_BELOW : FLOAT_ABOVE;
}

/* The result of a window that has these kinds, not all of them finite. */
HOST_DEVICE uint32_t float_special(unsigned kinds)
{
    if (kinds == FLOAT_ABOVE)
        return FLOAT_INFINITY;
    return kinds == FLOAT_BELOW ? FLOAT_SIGN | FLOAT_INFINITY : FLOAT_QUIET_NAN;
}

/* Adds the product, times 2^(64 word), or subtracts it. */
HOST_DEVICE void float_sum_add_words(struct float_sum *sum, const uint64_t product[3], int word,
                                     bool negative)
{
    uint64_t carry = negative; /* -p is ~p + 1 */

    for (int i = 0; i < FLOAT_SUM_WORDS; i++) {
        const uint64_t p = i == word       ? product[0]
                           : i == word + 1 ? product[1]
                           : i == word + 2 ? product[2]
                                           : 0;
        const uint64_t term = negative ? ~p : p, with_carry = term + carry;

        sum->words[i] += with_carry;
        carry = (with_carry < carry) | (sum->words[i] < with_carry);
    }
}

/* *sum += weight * the finite float of these bits, in units of 2^-149; weight < 2^48. The product
 * of at most 72 bits, shifted by less than 64, takes three words. */
HOST_DEVICE void float_sum_add(struct float_sum *sum, uint64_t weight, uint32_t bits)
{
    const uint32_t field = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    const uint32_t significand = field > 0 ? fraction | 0x800000 : fraction;
    const int exponent = field > 0 ? (int)field - 1 : 0;
    const uint128 product = u128_multiply(weight, significand);
    const unsigned shift = (unsigned)exponent % 64;
    const uint128 lower = u128_shift_left(u128_of(0, u128_low(product)), shift);
    const uint128 upper = u128_shift_left(u128_of(0, u128_high(product)), shift);
    const uint64_t words[3] = {u128_low(lower), u128_high(lower) + u128_low(upper),
                               u128_high(upper)};

    float_sum_add_words(sum, words, exponent / 64, bits & FLOAT_SIGN);
}

/* *total += weight * *part; weight < 2^48 */
HOST_DEVICE void float_sum_add_sum(struct float_sum *total, uint64_t weight,
                                   const struct float_sum *part)
{
    uint64_t carry = 0;

    for (int i = 0; i < FLOAT_SUM_WORDS; i++) { /* no carry beyond the last word: modulo 2^384 */
        const uint128 term = u128_add(u128_multiply(weight, part->words[i]), u128_of(0, carry));
        const uint128 sum = u128_add(term, u128_of(0, total->words[i]));

        total->words[i] = u128_low(sum);
        carry = u128_high(sum);
    }
}

HOST_DEVICE bool float_sum_is_zero(const struct float_sum *sum)
{
    uint64_t any = 0;

    for (int i = 0; i < FLOAT_SUM_WORDS; i++)
        any |= sum->words[i];
    return any == 0;
}

/* Makes the sum positive; returns whether it was negative. */
HOST_DEVICE bool float_sum_take_sign(struct float_sum *sum)
{
    const bool negative = sum->words[FLOAT_SUM_WORDS - 1] >> 63;
    uint64_t carry = negative;

    for (int i = 0; i < FLOAT_SUM_WORDS && negative; i++) {
        sum->words[i] = ~sum->words[i] + carry;
        carry = carry && sum->words[i] == 0;
    }
    return negative;
}

/* The number of the highest bit that is set; word is not 0. */
HOST_DEVICE int float_top_bit(uint64_t word)
{
    int bit = 0;

    for (int step = 32; step > 0; step /= 2)
        if (word >> step > 0) {
            word >>= step;
            bit += step;
        }
    return bit;
}

/* The same of a positive sum. */
HOST_DEVICE int float_sum_top_bit(const struct float_sum *sum)
{
    int word = FLOAT_SUM_WORDS - 1;

    while (sum->words[word] == 0)
        word--;
    return 64 * word + float_top_bit(sum->words[word]);
}

/* The 128 bits of a positive sum from bit number `first` on; *rest becomes true if a lower one is
 * set. */
HOST_DEVICE uint128 float_sum_bits(const struct float_sum *sum, int first, bool *rest)
{
    const int word = first / 64;
    const unsigned shift = (unsigned)first % 64;
    uint64_t part[3] = {0, 0, 0}; /* of the sum, from that word on */
    uint128 low, high;

    for (int i = 0; i < 3; i++)
        part[i] = word + i < FLOAT_SUM_WORDS ? sum->words[word + i] : 0;
    for (int i = 0; i < word; i++)
        *rest |= sum->words[i] != 0;
    *rest |= (part[0] & (((uint64_t)1 << shift) - 1)) != 0;
    low = u128_shift_right(u128_of(part[1], part[0]), shift);
    high = u128_shift_right(u128_of(part[2], part[1]), shift);
    return u128_of(u128_low(high), u128_low(low));
}

/* The float nearest to value 2^(unit - 151), or to a little more than that if there is a rest; to
 * the even one where two are as near. value < 2^62, and at least 2^26 where unit is above 0, so
 * that no bit of the result is missing. Rounds beyond the greatest float to infinity, as IEEE 754
 * does.
 */
HOST_DEVICE uint32_t float_rounded(uint64_t value, int unit, bool rest, bool negative)
{
    const int top = value > 0 ? float_top_bit(value) + unit : 0;
    const int last = top > 25 ? top - 23 : 2; /* bit of the significand; that of 2^-149 is 2 */
    const int drop = last - unit;
    const uint64_t half = (uint64_t)1 << (drop - 1), lower = value & (2 * half - 1);
    const uint64_t kept = value >> drop;
    const bool up = lower > half || (lower == half && (rest || kept % 2 == 1));
    const uint64_t bits =
        ((uint64_t)(last - 2) << 23) + kept + up; /* a carry raises the exponent */
    const uint32_t magnitude = bits < FLOAT_INFINITY ? (uint32_t)bits : FLOAT_INFINITY;

    return negative ? FLOAT_SIGN | magnitude : magnitude;
}

/* The output sample of a window's sum, in units of 2^(-149 - 92). */
HOST_DEVICE uint32_t float_sum_round(struct float_sum sum)
{
    const bool negative = float_sum_take_sign(&sum);
    int unit = 0;
    bool rest = false;
    uint64_t value;

    if (float_sum_is_zero(&sum))
        return 0;
    if (float_sum_top_bit(&sum) > FLOAT_UNIT_BIT - 2 + 27)
        unit = float_sum_top_bit(&sum) - 27 - (FLOAT_UNIT_BIT - 2);
    value = u128_low(float_sum_bits(&sum, FLOAT_UNIT_BIT - 2 + unit, &rest));
    return float_rounded(value, unit, rest, negative);
}

/* The output sample of a mean: the window's sum over `there`, the sum of the weights of its samples
 * in units of 2^-92, 0 < there < 2^96. sum / there is in units of 2^-149; its floor is computed in
 * units of 2^(unit - 151), of 26 to 28 bits if unit is above 0. */
HOST_DEVICE uint32_t float_sum_mean(struct float_sum sum, uint128 there)
{
    const bool negative = float_sum_take_sign(&sum);
    const int there_top = u128_high(there) > 0 ? 64 + float_top_bit(u128_high(there))
                                               : float_top_bit(u128_low(there));
    bool rest = false;
    int unit = 0;
    uint128 numerator, quotient, remainder;

    if (float_sum_is_zero(&sum))
        return 0;
    if (float_sum_top_bit(&sum) + 2 - there_top > 27)
        unit = float_sum_top_bit(&sum) + 2 - there_top - 27;
    numerator = unit < 2 ? u128_shift_left(float_sum_bits(&sum, 0, &rest), 2 - (unsigned)unit)
                         : float_sum_bits(&sum, unit - 2, &rest);
    quotient = u128_divide(numerator, there, &remainder);
    rest |= u128_high(remainder) != 0 || u128_low(remainder) != 0;
    return float_rounded(u128_low(quotient), unit, rest, negative);
}

#endif
