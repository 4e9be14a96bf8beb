/* SPDX-License-Identifier: MIT */
/* Integers of many bits for the oracle (oracle.h), which computes filters exactly. The integers
 * have `count` limbs (32-bit words), the least significant limb first, in two's complement. Sums
 * are modulo 2^(32 count). */
#ifndef SMOOTHIMG_RANDOM_BIG_H
#define SMOOTHIMG_RANDOM_BIG_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t limb;

static inline bool big_is_negative(const limb *a, int count)
{
    return a[count - 1] >> 31;
}

/* a += b, or a -= b if `subtract`. */
static inline void big_add(limb *a, const limb *b, int count, bool subtract)
{
    uint64_t carry = subtract;

    for (int i = 0; i < count; i++) {
        carry += (uint64_t)a[i] + (subtract ? ~b[i] : b[i]);
        a[i] = (limb)carry;
        carry >>= 32;
    }
}

static inline void big_negate(limb *a, int count)
{
    uint64_t carry = 1;

    for (int i = 0; i < count; i++) {
        carry += (limb)~a[i];
        a[i] = (limb)carry;
        carry >>= 32;
    }
}

/* sum += a * b. If a or b is negative, it must have `count` limbs, like the sum. */
static inline void big_add_product(limb *sum, int count, const limb *a, int a_count, const limb *b,
                                   int b_count)
{
    for (int j = 0; j < b_count && j < count; j++) {
        uint64_t carry = 0;

        if (b[j] == 0)
            continue;
        for (int i = 0; i + j < count && (i < a_count || carry > 0); i++) {
            carry += (uint64_t)(i < a_count ? a[i] : 0) * b[j] + sum[i + j];
            sum[i + j] = (limb)carry;
            carry >>= 32;
        }
    }
}

/* a += b * 2^shift */
static inline void big_add_shifted(limb *a, int count, uint64_t b, int shift)
{
    const limb halves[] = {(limb)b, (limb)(b >> 32)};
    limb power = (limb)1 << shift % 32;

    big_add_product(a + shift / 32, count - shift / 32, &power, 1, halves, 2);
}

/* Returns the number of significant bits of a, which is not negative. Returns 0 for 0. */
static inline int big_length(const limb *a, int count)
{
    while (count > 0 && a[count - 1] == 0)
        count--;
    return count == 0 ? 0 : 32 * count - __builtin_clz(a[count - 1]);
}

/* Returns 32 bits of a, from bit `from` upwards. Bits outside of a, below 0 too, are 0. */
static inline limb big_bits(const limb *a, int count, int from)
{
    const int at = from >= 0 ? from / 32 : -((31 - from) / 32), shift = from - 32 * at;
    const limb low = at >= 0 && at < count ? a[at] : 0;
    const limb high = at + 1 >= 0 && at + 1 < count ? a[at + 1] : 0;

    return shift == 0 ? low : low >> shift | high << (32 - shift);
}

/* Returns the sign of a * 2^a_shift - b * 2^b_shift, where a and b are not negative. */
static inline int big_compare(const limb *a, int a_count, int a_shift, const limb *b, int b_count,
                              int b_shift)
{
    const int a_length = big_length(a, a_count), b_length = big_length(b, b_count);
    const int least = a_shift < b_shift ? a_shift : b_shift;

    if (a_length == 0 || b_length == 0)
        return (a_length > 0) - (b_length > 0);
    if (a_length + a_shift != b_length + b_shift)
        return a_length + a_shift > b_length + b_shift ? 1 : -1;
    for (int at = a_length + a_shift - 32; at > least - 32; at -= 32) {
        const limb one = big_bits(a, a_count, at - a_shift);
        const limb other = big_bits(b, b_count, at - b_shift);

        if (one != other)
            return one > other ? 1 : -1;
    }
    return 0;
}

#endif
