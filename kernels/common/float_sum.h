/* SPDX-License-Identifier: MIT */
/* Exact sums of weighted floats, for the definition of the filter for float samples:
 *
 *     out = (sum over the window of wy(i) wx(j) in(i, j)) / 2^92, rounded to the nearest binary32,
 *           ties to even, gradual underflow included; an exact zero is +0
 *
 * The weights wx and wy are in units of 2^-46. A finite binary32 is m 2^(e - 149) with |m| < 2^24
 * and e = 0..253. So a sum along a row is an integer in units of 2^(-149 - 46), and the window's
 * sum is an integer in units of 2^(-149 - 92). The weights of an axis sum to less than 2^48. So a
 * sum along a row stays below 2^(48 + 24 + 253) = 2^325 of its units, and the window's sum below
 * 2^(325 + 48) = 2^373 of its units. Both, with their sign, fit 384 bits in two's complement.
 * Everything is an integer, so neither the order of additions, the rounding mode nor the device
 * changes a bit.
 *
 * The sum holds finite samples only; float_kind classifies infinities and NaN. */
#ifndef SMOOTHIMG_FLOAT_SUM_H
#define SMOOTHIMG_FLOAT_SUM_H

#include "kernels/common/wide.h"

#include <stddef.h>

#define FLOAT_SUM_WORDS 6
#define FLOAT_QUIET_NAN 0x7fc00000u
#define FLOAT_INFINITY 0x7f800000u
#define FLOAT_SIGN 0x80000000u
#define FLOAT_SUM_POINT (149 + 92) /* in a window's sum, the index of the bit that stands for 1 */

/* An integer modulo 2^384 in 64-bit words, the lowest first. */
struct float_sum {
    uint64_t words[FLOAT_SUM_WORDS];
};

/* Kinds of samples: finite, positive infinity, negative infinity, NaN. A window has the kinds of
 * all its samples, combined by |. */
enum float_kind { FLOAT_FINITE = 0, FLOAT_ABOVE = 1, FLOAT_BELOW = 2, FLOAT_NAN = 4 };

HOST_DEVICE unsigned float_kind(uint32_t bits)
{
    if ((bits & ~FLOAT_SIGN) < FLOAT_INFINITY)
        return FLOAT_FINITE;
    if ((bits & ~FLOAT_SIGN) > FLOAT_INFINITY)
        return FLOAT_NAN;
    return bits & FLOAT_SIGN ? FLOAT_BELOW : FLOAT_ABOVE;
}

/* Returns the bits of the result for a window that has samples of these kinds. At least one of the
 * samples is not finite. */
HOST_DEVICE uint32_t float_special(unsigned kinds)
{
    if (kinds == FLOAT_ABOVE)
        return FLOAT_INFINITY;
    return kinds == FLOAT_BELOW ? FLOAT_SIGN | FLOAT_INFINITY : FLOAT_QUIET_NAN;
}

/* *sum += product * 2^(64 * word), or -= if `negative`. product: three words, the lowest first. */
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

/* *sum += weight * x, where x is the finite float with these bits, as an integer in units of
 * 2^-149; weight < 2^48. The product of the weight and the significand has at most 48 + 24 bits.
 * Shifted left by less than 64 bits, the product takes three words. */
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

    for (int i = 0; i < FLOAT_SUM_WORDS; i++) { /* modulo 2^384: the last carry is dropped */
        const uint128 term = u128_add(u128_multiply(weight, part->words[i]), u128_of(0, carry));
        const uint128 sum = u128_add(term, u128_of(0, total->words[i]));

        total->words[i] = u128_low(sum);
        carry = u128_high(sum);
    }
}

/* Returns the bits of the float nearest to the number, or to its negative if `negative`. */
HOST_DEVICE uint32_t float_nearest(const struct wide_number *number, bool negative)
{
    const struct sample_format binary32 = {4, true, true, 24, -149, 8};

    return (uint32_t)wide_round_to_float(number, negative, &binary32);
}

/* Returns the bits of the output sample, given its window's sum. */
HOST_DEVICE uint32_t float_sum_round(struct float_sum sum)
{
    const bool negative = wide_take_sign(sum.words, FLOAT_SUM_WORDS);
    const struct wide_number number = {sum.words, FLOAT_SUM_WORDS, FLOAT_SUM_POINT, false};

    return float_nearest(&number, negative);
}

/* Returns the bits of a mean: the window's sum divided by `there`, the sum of the weights of those
 * samples that are not NaN. `there` is in units of 2^-92, and below 2^96. If `there` is 0, the sum
 * is 0 too, and the result is 0. Only the bits of the sum from bit `first` on are divided. `first`
 * is such that the quotient has 27 or 28 bits, at least 3 more than a float. But `first` is never
 * below -2: with -2 the quotient's last bit stands for 2^-151, a quarter of the smallest positive
 * float. */
HOST_DEVICE uint32_t float_sum_mean(struct float_sum sum, uint128 there)
{
    const bool negative = wide_take_sign(sum.words, FLOAT_SUM_WORDS);
    const uint64_t divisor[2] = {u128_low(there), u128_high(there)};
    const int64_t more = wide_length(sum.words, FLOAT_SUM_WORDS) - wide_length(divisor, 2) - 27;
    const int64_t first = more > -2 ? more : -2;
    const uint128 dividend = u128_of(wide_bits_from(sum.words, FLOAT_SUM_WORDS, first + 64),
                                     wide_bits_from(sum.words, FLOAT_SUM_WORDS, first));
    struct wide_number mean = {NULL, 1, 149 - first, false};
    uint64_t quotient;
    uint128 rest;

    if (wide_is_zero(sum.words, FLOAT_SUM_WORDS))
        return 0;
    quotient = u128_low(u128_divide(dividend, there, &rest));
    mean.integer = &quotient;
    mean.rest = u128_high(rest) != 0 || u128_low(rest) != 0 ||
                wide_any_below(sum.words, FLOAT_SUM_WORDS, first);
    return float_nearest(&mean, negative);
}

#endif
