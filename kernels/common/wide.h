/* SPDX-License-Identifier: MIT */
/* Wide integers for exact sums, and their rounding. A number is an array of 64-bit words, the
 * lowest first, in two's complement. The caller gives it enough words for every sum. */
#ifndef SMOOTHIMG_WIDE_H
#define SMOOTHIMG_WIDE_H

#include "kernels/common/sample_type.h"
#include "kernels/common/u128.h"

HOST_DEVICE void wide_clear(uint64_t *value, int words)
{
    for (int i = 0; i < words; i++)
        value[i] = 0;
}

/* *sum += value * 2^shift; *sum and shift are not negative. `sum` must have three words from index
 * shift / 64 on, and after these as many as a carry may reach. */
HOST_DEVICE void wide_add(uint64_t *sum, uint128 value, int64_t shift)
{
    const unsigned bits = (unsigned)(shift % 64);
    const uint128 lower = u128_shift_left(u128_of(0, u128_low(value)), bits);
    const uint128 upper = u128_shift_left(u128_of(0, u128_high(value)), bits);
    const uint64_t parts[3] = {u128_low(lower), u128_high(lower) + u128_low(upper),
                               u128_high(upper)};
    uint64_t carry = 0;

    sum += shift / 64;
    for (int i = 0; i < 3; i++) {
        const uint64_t with_carry = parts[i] + carry;

        sum[i] += with_carry;
        carry = (with_carry < carry) | (sum[i] < with_carry);
    }
    for (int i = 3; carry; i++)
        carry = ++sum[i] == 0;
}

/* *sum += part * factor * 2^(64 first), or -= if `negative`, modulo 2^(64 words). `part` has
 * `count` words, and is taken as 0 beyond these. */
HOST_DEVICE void wide_add_multiple(uint64_t *sum, int words, const uint64_t *part, int count,
                                   uint64_t factor, int first, bool negative)
{
    uint64_t upper = 0; /* upper half of the product, for the next word */
    uint64_t carry = 0; /* carry of the addition, or borrow of the subtraction */

    for (int i = 0; first + i < words && (i < count || upper || carry); i++) {
        const uint128 product =
            u128_add(i < count ? u128_multiply(part[i], factor) : u128_of(0, 0), u128_of(0, upper));
        const uint64_t low = u128_low(product), before = sum[first + i];
        const uint64_t half = negative ? before - low : before + low;
        const uint64_t after = negative ? half - carry : half + carry;

        carry = negative ? (half > before) | (after > half) : (half < low) | (after < half);
        sum[first + i] = after;
        upper = u128_high(product);
    }
}

/* *sum += part * factor, or -= if `negative`. `sum` and `part` have the same number of words.
 * `part` may be negative, in two's complement: the result is right modulo 2^(64 words). */
HOST_DEVICE void wide_add_product(uint64_t *sum, const uint64_t *part, int words, uint128 factor,
                                  bool negative)
{
    if (u128_low(factor) != 0)
        wide_add_multiple(sum, words, part, words, u128_low(factor), 0, negative);
    if (u128_high(factor) != 0)
        wide_add_multiple(sum, words, part, words, u128_high(factor), 1, negative);
}

/* *sum += value^2; *value is not negative and has `words` words, *sum has twice as many. */
HOST_DEVICE void wide_add_square(uint64_t *sum, const uint64_t *value, int words)
{
    for (int i = 0; i < words; i++)
        if (value[i] != 0)
            wide_add_multiple(sum, 2 * words, value, words, value[i], i, false);
}

/* Replaces the number by its magnitude; returns true if it was negative. */
HOST_DEVICE bool wide_take_sign(uint64_t *value, int words)
{
    const bool negative = value[words - 1] >> 63;
    uint64_t carry = 1;

    for (int i = 0; i < words && negative; i++) {
        value[i] = ~value[i] + carry;
        carry = carry && value[i] == 0;
    }
    return negative;
}

HOST_DEVICE bool wide_is_zero(const uint64_t *value, int words)
{
    for (int i = 0; i < words; i++)
        if (value[i] != 0)
            return false;
    return true;
}

/* Returns the position of the highest set bit, plus 1; 0 for 0. */
HOST_DEVICE int64_t wide_length(const uint64_t *value, int words)
{
    int64_t bits = 1;
    uint64_t top;

    while (words > 0 && value[words - 1] == 0)
        words--;
    if (words == 0)
        return 0;
    top = value[words - 1];
    for (int step = 32; step > 0; step /= 2)
        if (top >> step > 0) {
            top >>= step;
            bits += step;
        }
    return 64 * (int64_t)(words - 1) + bits;
}

/* Returns bits first..first + 63 of a number that is not negative. `first` may be negative: bits
 * below bit 0 are 0. */
HOST_DEVICE uint64_t wide_bits_from(const uint64_t *value, int words, int64_t first)
{
    const int64_t word = first >= 0 ? first / 64 : -((63 - first) / 64);
    const unsigned shift = (unsigned)(first - 64 * word);
    const uint64_t low = word >= 0 && word < words ? value[word] : 0;
    const uint64_t high = word + 1 >= 0 && word + 1 < words ? value[word + 1] : 0;

    return u128_low(u128_shift_right(u128_of(high, low), shift));
}

HOST_DEVICE bool wide_any_below(const uint64_t *value, int words, int64_t end)
{
    for (int64_t i = 0; i < words && 64 * i < end; i++)
        if ((end - 64 * i >= 64 ? value[i] : value[i] << (64 - (end - 64 * i))) != 0)
            return true;
    return false;
}

/* A number that is not negative: (integer + r) * 2^-point, with 0 <= r < 1. `rest` is true if r is
 * not 0. */
struct wide_number {
    const uint64_t *integer;
    int words;
    int64_t point;
    bool rest;
};

/* Returns the square root of a number whose point is even and whose rest is false. Stores the
 * root's integer, which has at least 126 significant bits, in root[0..1]. Each step takes two bits
 * of the square and computes one bit of the root. */
HOST_DEVICE struct wide_number wide_root(const struct wide_number *square, uint64_t root[2])
{
    const int64_t bits = wide_length(square->integer, square->words);
    /* How many of the square's lowest bits are dropped: an even number. If `drop` is negative,
     * -drop zero bits are appended instead. */
    const int64_t drop = (bits - 252 - (bits & 1)) / 2 * 2;
    uint128 found = u128_of(0, 0), rest_low = found, rest_high = found;
    struct wide_number number = {root, 2, (square->point - drop) / 2, false};

    for (int64_t i = 126; i >= 0; i--) {
        const int64_t at = drop + 2 * i;
        const uint64_t two = wide_bits_from(square->integer, square->words, at) & 3;
        const uint128 trial = u128_add(u128_shift_left(found, 2), u128_of(0, 1));

        /* The remainder, rest_high * 2^128 + rest_low, stays below 2^130. */
        rest_high = u128_add(u128_shift_left(rest_high, 2), u128_shift_right(rest_low, 126));
        rest_low = u128_add(u128_shift_left(rest_low, 2), u128_of(0, two));
        found = u128_shift_left(found, 1);
        if (u128_low(rest_high) == 0 && u128_less(rest_low, trial))
            continue;
        if (u128_less(rest_low, trial))
            rest_high = u128_subtract(rest_high, u128_of(0, 1));
        rest_low = u128_subtract(rest_low, trial);
        found = u128_add(found, u128_of(0, 1));
    }
    root[0] = u128_low(found);
    root[1] = u128_high(found);
    number.rest = u128_low(rest_high) != 0 || u128_low(rest_low) != 0 || u128_high(rest_low) != 0 ||
                  wide_any_below(square->integer, square->words, drop);
    return number;
}

/* *value *= 2^bits, modulo 2^(64 words); bits >= 0 */
HOST_DEVICE void wide_shift_left(uint64_t *value, int words, int64_t bits)
{
    for (int i = words - 1; i >= 0; i--)
        value[i] = wide_bits_from(value, words, 64 * (int64_t)i - bits);
}

/* If part <= *value, subtracts `part` from *value and returns true. Otherwise changes nothing and
 * returns false. */
HOST_DEVICE bool wide_take(uint64_t *value, const uint64_t *part, int words)
{
    int i = words - 1;

    while (i > 0 && value[i] == part[i])
        i--;
    if (value[i] < part[i])
        return false;
    wide_add_multiple(value, words, part, words, 1, 0, true);
    return true;
}

/* Returns the quotient of two numbers that are not negative; the divisor is not 0. The quotient's
 * integer is stored in quotient[0..1], with at least 126 significant bits. Both numbers have
 * `words` words, and the long division overwrites them. The highest bit of both must be 0, since
 * the remainder reaches twice the divisor. */
HOST_DEVICE struct wide_number wide_quotient(uint64_t *dividend, uint64_t *divisor, int words,
                                             uint64_t quotient[2])
{
    const int64_t apart = wide_length(dividend, words) - wide_length(divisor, words);
    uint128 found = u128_of(0, 0);
    struct wide_number number = {quotient, 2, 126 - apart, false};

    wide_shift_left(divisor, words, apart > 0 ? apart : 0);
    wide_shift_left(dividend, words, apart < 0 ? -apart : 0);
    for (int i = 0; i <= 126; i++) {
        const bool fits = wide_take(dividend, divisor, words);

        found = u128_add(u128_shift_left(found, 1), u128_of(0, fits));
        wide_shift_left(dividend, words, 1);
    }
    quotient[0] = u128_low(found);
    quotient[1] = u128_high(found);
    number.rest = !wide_is_zero(dividend, words);
    return number;
}

/* Returns floor(V + 1/2), clamped to the type's range, where V is the number, or its negative if
 * `negative`. So a half rounds towards +infinity: -2.5 becomes -2. */
HOST_DEVICE uint64_t wide_round_to_integer(const struct wide_number *number, bool negative,
                                           const struct sample_format *format)
{
    const uint64_t *integer = number->integer;
    const int words = number->words;
    const int64_t top = wide_length(integer, words);
    /* True if the integer part of the number has more than 64 bits. */
    const bool beyond = top > 0 && top - number->point > 64;
    const uint64_t floor = beyond ? UINT64_MAX : wide_bits_from(integer, words, number->point);
    const bool half = wide_bits_from(integer, words, number->point - 1) & 1;
    const bool more = number->rest || wide_any_below(integer, words, number->point - 1);
    const uint64_t up = half && (!negative || more);
    const uint64_t rounded = floor + up < floor ? UINT64_MAX : floor + up;
    const uint64_t most =
        format->significant_bits == 64 ? UINT64_MAX : ((uint64_t)1 << format->significant_bits) - 1;

    if (negative && !format->is_signed)
        return 0;
    if (negative)
        return ~(rounded < most + 1 ? rounded : most + 1) + 1;
    return rounded < most ? rounded : most;
}

/* Returns the bits of the float nearest to the number, or to its negative if `negative`, ties to
 * even. The last bit of a subnormal float stands for 2^least_exponent. */
HOST_DEVICE uint64_t wide_round_to_float(const struct wide_number *number, bool negative,
                                         const struct sample_format *format)
{
    const uint64_t *integer = number->integer;
    const int bits = format->significant_bits, words = number->words;
    const uint64_t sign = (uint64_t)negative << (bits - 1 + format->exponent_bits);
    const uint64_t infinity = (((uint64_t)1 << format->exponent_bits) - 1) << (bits - 1);
    const int64_t top = wide_length(integer, words); /* the number is below 2^(top - point) */
    const int64_t normal = top - bits, least = format->least_exponent + number->point;
    const int64_t last =
        normal > least ? normal : least; /* the lowest bit of the integer that the float keeps */
    const uint64_t kept = last >= top ? 0 : wide_bits_from(integer, words, last);
    const bool half = wide_bits_from(integer, words, last - 1) & 1;
    const bool more = number->rest || wide_any_below(integer, words, last - 1);
    const uint64_t significand = kept + (half && (more || kept % 2 == 1));
    /* For a subnormal number, the exponent field. For a normal number, the exponent field minus 1:
     * the significand is added to it below, and the significand's highest bit adds the missing
     * 1. */
    const int64_t field = last - least;
    const int64_t fields = (int64_t)1 << format->exponent_bits;

    if (wide_is_zero(integer, words) && !number->rest)
        return 0;
    if (field >= fields || ((uint64_t)field << (bits - 1)) + significand >= infinity)
        return sign | infinity;
    return sign | (((uint64_t)field << (bits - 1)) + significand);
}

/* Returns the bits of the sample nearest to the number, or to its negative if `negative`. arrays.h
 * has the rules. */
HOST_DEVICE uint64_t wide_round(const struct wide_number *number, bool negative,
                                const struct sample_format *format)
{
    return format->is_float ? wide_round_to_float(number, negative, format)
                            : wide_round_to_integer(number, negative, format);
}

#endif
