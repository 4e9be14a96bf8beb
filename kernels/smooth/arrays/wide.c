/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/wide.h"

#include <string.h>

/* Adds the words of `part`, all of them, from word number `first` on; with the sign, in two's
 * complement: -p is ~p + 1. */
static void add_words(uint64_t *sum, int words, const uint64_t *part, int count, int64_t first,
                      bool negative)
{
    uint64_t carry = negative;

    for (int64_t i = first; i < words; i++) {
        const uint64_t p = i - first < count ? part[i - first] : 0;
        const uint64_t term = negative ? ~p : p;
        const uint128 total =
            u128_add(u128_add(u128_of(0, sum[i]), u128_of(0, term)), u128_of(0, carry));

        sum[i] = u128_low(total);
        carry = u128_high(total);
        if (i - first >= count && carry == negative)
            break; /* what follows adds nothing: 0 and no carry, or all ones and a carry */
    }
}

void wide_add(uint64_t *sum, uint128 value, int64_t shift)
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

void wide_subtract(uint64_t *sum, const uint64_t *part, int words)
{
    add_words(sum, words, part, words, 0, true);
}

bool wide_take_sign(uint64_t *value, int words)
{
    const bool negative = value[words - 1] >> 63;
    uint64_t carry = 1;

    for (int i = 0; i < words && negative; i++) {
        value[i] = ~value[i] + carry;
        carry = carry && value[i] == 0;
    }
    return negative;
}

bool wide_is_zero(const uint64_t *value, int words)
{
    for (int i = 0; i < words; i++)
        if (value[i] != 0)
            return false;
    return true;
}

/* *sum += part factor 2^(64 first), modulo the sum's words; part is not negative. */
static void add_multiple(uint64_t *sum, int words, const uint64_t *part, int count, uint64_t factor,
                         int first, bool negative)
{
    uint64_t product[WIDE_WORDS + 1];
    uint64_t carry = 0;

    for (int i = 0; i < count; i++) {
        const uint128 term = u128_add(u128_multiply(part[i], factor), u128_of(0, carry));

        product[i] = u128_low(term);
        carry = u128_high(term);
    }
    product[count] = carry;
    add_words(sum, words, product, count + 1, first, negative);
}

void wide_add_product(uint64_t *sum, const uint64_t *part, int words, uint128 factor, bool negative)
{
    uint64_t magnitude[WIDE_WORDS];
    bool below;
    int count = words;

    memcpy(magnitude, part, (size_t)words * sizeof *part);
    below = wide_take_sign(magnitude, words);
    while (count > 0 && magnitude[count - 1] == 0)
        count--;
    if (count == 0)
        return;
    if (u128_low(factor) != 0)
        add_multiple(sum, words, magnitude, count, u128_low(factor), 0, negative != below);
    if (u128_high(factor) != 0)
        add_multiple(sum, words, magnitude, count, u128_high(factor), 1, negative != below);
}

void wide_add_square(uint64_t *sum, const uint64_t *value, int words)
{
    for (int i = 0; i < words; i++)
        if (value[i] != 0)
            add_multiple(sum, 2 * words, value, words, value[i], i, false);
}

/* The number of bits up to the highest that is set. */
static int64_t length(const uint64_t *value, int words)
{
    int64_t bits = 64 * (int64_t)words;

    while (bits > 0 && (value[(bits - 1) / 64] >> ((bits - 1) % 64) & 1) == 0)
        bits = value[(bits - 1) / 64] == 0 ? (bits - 1) / 64 * 64 : bits - 1;
    return bits;
}

/* 64 bits from bit number `first` on, which may be negative: the bits below 0 are 0. */
static uint64_t bits_from(const uint64_t *value, int words, int64_t first)
{
    const int64_t word = first >= 0 ? first / 64 : -((63 - first) / 64);
    const unsigned shift = (unsigned)(first - 64 * word);
    const uint64_t low = word >= 0 && word < words ? value[word] : 0;
    const uint64_t high = word + 1 >= 0 && word + 1 < words ? value[word + 1] : 0;

    return u128_low(u128_shift_right(u128_of(high, low), shift));
}

/* Is a bit below number `end` set? */
static bool any_below(const uint64_t *value, int words, int64_t end)
{
    for (int64_t i = 0; i < words && 64 * i < end; i++)
        if ((end - 64 * i >= 64 ? value[i] : value[i] << (64 - (end - 64 * i))) != 0)
            return true;
    return false;
}

/* Digit by digit, two bits of the square for one of the root. */
struct wide_number wide_root(const struct wide_number *square, uint64_t root[2])
{
    const int64_t bits = length(square->integer, square->words);
    const int64_t drop = (bits - 252 - (bits & 1)) / 2 * 2; /* even; below 0: zeros are added */
    uint128 found = u128_of(0, 0), rest_low = found, rest_high = found;

    for (int64_t i = 126; i >= 0; i--) {
        const int64_t at = drop + 2 * i;
        const uint64_t two = bits_from(square->integer, square->words, at) & 3;
        const uint128 trial = u128_add(u128_shift_left(found, 2), u128_of(0, 1));

        /* The rest stays below 2^130: its upper part is a few bits. */
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
    return (struct wide_number){root, 2, (square->point - drop) / 2,
                                u128_low(rest_high) != 0 || u128_low(rest_low) != 0 ||
                                    u128_high(rest_low) != 0 ||
                                    any_below(square->integer, square->words, drop)};
}

/* floor(V + 1/2), clamped. Of a negative number the magnitude's halves go down. */
static uint64_t round_to_integer(const struct wide_number *number, bool negative,
                                 const struct sample_format *format)
{
    const bool beyond = length(number->integer, number->words) - number->point > 64;
    const uint64_t floor =
        beyond ? UINT64_MAX : bits_from(number->integer, number->words, number->point);
    const bool half = bits_from(number->integer, number->words, number->point - 1) & 1;
    const bool more = number->rest || any_below(number->integer, number->words, number->point - 1);
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

/* To nearest, ties to even; the last bit of a subnormal number stands for 2^least_exponent. */
static uint64_t round_to_float(const struct wide_number *number, bool negative,
                               const struct sample_format *format)
{
    const int bits = format->significant_bits;
    const uint64_t sign = (uint64_t)negative << (bits - 1 + format->exponent_bits);
    const uint64_t infinity = (((uint64_t)1 << format->exponent_bits) - 1) << (bits - 1);
    const int64_t top =
        length(number->integer, number->words); /* the number is below 2^(top - point) */
    const int64_t normal = top - bits, least = format->least_exponent + number->point;
    const int64_t last =
        normal > least ? normal : least; /* the bit of the integer that stays last */
    const uint64_t kept = last >= top ? 0 : bits_from(number->integer, number->words, last);
    const bool half = bits_from(number->integer, number->words, last - 1) & 1;
    const bool more = number->rest || any_below(number->integer, number->words, last - 1);
    const uint64_t significand = kept + (half && (more || kept % 2 == 1));
    /* The exponent's field of a normal number is 1 more than that of the subnormal ones, which its
     * highest bit adds, as a carry does. */
    const int64_t field = last - least;
    const int64_t fields = (int64_t)1 << format->exponent_bits;

    if (wide_is_zero(number->integer, number->words) && !number->rest)
        return 0;
    if (field >= fields || ((uint64_t)field << (bits - 1)) + significand >= infinity)
        return sign | infinity;
    return sign | (((uint64_t)field << (bits - 1)) + significand);
}

uint64_t wide_round(const struct wide_number *number, bool negative, enum sample_type type)
{
    const struct sample_format format = sample_format(type);

    return format.is_float ? round_to_float(number, negative, &format)
                           : round_to_integer(number, negative, &format);
}
