/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/fixed.h"

#include <math.h>
#include <string.h>

struct fixed fixed_of(uint64_t integer)
{
    struct fixed a = {{0}};

    a.limb[FIXED_FRACTION] = (uint32_t)integer;
    a.limb[FIXED_FRACTION + 1] = (uint32_t)(integer >> 32);
    return a;
}

struct fixed fixed_of_double(double value)
{
    struct fixed a = fixed_of((uint64_t)value);
    double rest = value - floor(value);

    for (int i = FIXED_FRACTION - 1; i >= 0; i--) {
        rest *= 0x1p32; /* moves the next 32 bits before the point; exact */
        a.limb[i] = (uint32_t)rest;
        rest -= a.limb[i];
    }
    return a;
}

struct fixed fixed_add(struct fixed a, struct fixed b)
{
    uint64_t carry = 0;

    for (int i = 0; i < FIXED_LIMBS; i++) {
        carry += (uint64_t)a.limb[i] + b.limb[i];
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

struct fixed fixed_subtract(struct fixed a, struct fixed b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < FIXED_LIMBS; i++) {
        const uint64_t limb = (uint64_t)a.limb[i] - b.limb[i] - borrow;

        a.limb[i] = (uint32_t)limb;
        borrow = limb >> 63;
    }
    return a;
}

/* The full product has twice the limbs, and twice the fraction: drops the lowest FIXED_FRACTION
 * limbs, which rounds down, and the highest limbs, which are above 2^64. */
struct fixed fixed_multiply(struct fixed a, struct fixed b)
{
    uint32_t product[2 * FIXED_LIMBS] = {0};

    for (int i = 0; i < FIXED_LIMBS; i++) {
        uint64_t carry = 0;

        for (int j = 0; j < FIXED_LIMBS; j++) {
            carry += (uint64_t)a.limb[i] * b.limb[j] + product[i + j];
            product[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        product[i + FIXED_LIMBS] = (uint32_t)carry;
    }
    memcpy(a.limb, product + FIXED_FRACTION, sizeof a.limb);
    return a;
}

struct fixed fixed_multiply_by(struct fixed a, uint32_t b)
{
    uint64_t carry = 0;

    for (int i = 0; i < FIXED_LIMBS; i++) {
        carry += (uint64_t)a.limb[i] * b;
        a.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return a;
}

/* A shift to the right by n is a move by one limb down and a shift to the left by 32 - n. */
struct fixed fixed_shift(struct fixed a, int bits)
{
    const unsigned left = (unsigned)bits & 31; /* bits, or 32 + bits if that is negative */
    struct fixed shifted;

    for (int i = 0; i < FIXED_LIMBS; i++) {
        const int from = bits < 0 ? i + 1 : i;
        const uint64_t upper = from < FIXED_LIMBS ? a.limb[from] : 0;
        const uint64_t lower = from > 0 ? a.limb[from - 1] : 0;

        shifted.limb[i] = (uint32_t)((upper << 32 | lower) << left >> 32);
    }
    return shifted;
}

bool fixed_is_less(const struct fixed *a, const struct fixed *b)
{
    int i = FIXED_LIMBS - 1;

    while (i > 0 && a->limb[i] == b->limb[i])
        i--;
    return a->limb[i] < b->limb[i];
}

/* rest -= digit divisor, of `limbs` limbs and one more. Returns whether that is below 0. */
static bool take_multiple(uint32_t *rest, const struct fixed *divisor, int limbs, uint64_t digit)
{
    uint64_t carry = 0, borrow = 0;

    for (int i = 0; i <= limbs; i++) {
        const uint64_t product = carry + (i < limbs ? digit * divisor->limb[i] : 0);
        const uint64_t left = (uint64_t)rest[i] - (uint32_t)product - borrow;

        rest[i] = (uint32_t)left;
        borrow = left >> 63;
        carry = product >> 32;
    }
    return borrow > 0;
}

/* Returns whether there is a carry: it takes back what take_multiple() took too much. */
static bool give_back(uint32_t *rest, const struct fixed *divisor, int limbs)
{
    uint64_t carry = 0;

    for (int i = 0; i <= limbs; i++) {
        carry += (uint64_t)rest[i] + (i < limbs ? divisor->limb[i] : 0);
        rest[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry > 0;
}

/* Long division, a limb of the quotient at a time (Knuth's algorithm D): from the first limbs, the
 * divisor's first bit being 1, a digit is guessed that is at most two too large. */
struct fixed fixed_divide(struct fixed a, struct fixed b)
{
    uint32_t rest[FIXED_FRACTION + FIXED_LIMBS + 2] = {0};
    struct fixed quotient = {{0}};
    int limbs = FIXED_LIMBS, shift = 0;

    while (b.limb[limbs - 1] == 0)
        limbs--;
    while (b.limb[limbs - 1] << shift >> 31 == 0)
        shift++;
    for (int i = 0; i <= FIXED_LIMBS; i++) {
        const uint64_t upper = i < FIXED_LIMBS ? a.limb[i] : 0, lower = i > 0 ? a.limb[i - 1] : 0;

        rest[FIXED_FRACTION + i] = (uint32_t)((upper << 32 | lower) << shift >> 32);
    }
    b = fixed_shift(b, shift);
    for (int i = FIXED_FRACTION + FIXED_LIMBS - limbs; i >= 0; i--) {
        const uint64_t first = (uint64_t)rest[i + limbs] << 32 | rest[i + limbs - 1];
        uint64_t digit = first / b.limb[limbs - 1];

        digit = digit > UINT32_MAX ? UINT32_MAX : digit;
        if (take_multiple(rest + i, &b, limbs, digit))
            do
                digit--;
            while (!give_back(rest + i, &b, limbs));
        if (i < FIXED_LIMBS)
            quotient.limb[i] = (uint32_t)digit;
    }
    return quotient;
}

struct fixed fixed_divide_by(struct fixed a, uint32_t b)
{
    uint64_t rest = 0;

    for (int i = FIXED_LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | a.limb[i];
        a.limb[i] = (uint32_t)(rest / b);
        rest %= b;
    }
    return a;
}

uint64_t fixed_floor(struct fixed a)
{
    return (uint64_t)a.limb[FIXED_FRACTION + 1] << 32 | a.limb[FIXED_FRACTION];
}

/* exp(-a) = exp(-z)^(2^16), where z = a / 2^16 < 2^-8. The Taylor series of exp(-z), evaluated as
 * 1 - z/1 (1 - z/2 (1 - z/3 ...)) with 24 terms, omits z^25 / 25! < 2^-283, and rounds by less than
 * 2^-255. Each of the 16 squarings doubles the error and adds 2^-256: in the end it is below
 * 2^-238. */
struct fixed fixed_exp_negative(struct fixed a)
{
    const struct fixed one = fixed_of(1), z = fixed_shift(a, -16);
    struct fixed power = one;

    for (unsigned n = 24; n > 0; n--)
        power = fixed_subtract(one, fixed_divide_by(fixed_multiply(z, power), n));
    for (int i = 0; i < 16; i++)
        power = fixed_multiply(power, power);
    return power;
}
