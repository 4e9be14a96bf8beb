/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/fixed.h"

#include <math.h>
#include <string.h>

struct fixed fixed_of(double value)
{
    const uint64_t integer = (uint64_t)value;
    double rest = value - floor(value);
    struct fixed a;

    a.limb[FIXED_FRACTION + 1] = (uint32_t)(integer >> 32);
    a.limb[FIXED_FRACTION] = (uint32_t)integer;
    for (int i = FIXED_FRACTION - 1; i >= 0; i--) {
        rest *= 0x1p32; /* moves the next 32 bits in front of the point; exact */
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

/* The full product has twice as many limbs before the point, and twice as many after it. Drops the
 * lowest FIXED_FRACTION limbs, which rounds down, and the highest limbs, which stand for 2^64 and
 * more. */
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

bool fixed_is_less(const struct fixed *a, const struct fixed *b)
{
    int i = FIXED_LIMBS - 1;

    while (i > 0 && a->limb[i] == b->limb[i])
        i--;
    return a->limb[i] < b->limb[i];
}

/* Newton's steps: each goes from x to x + x (1 - a x), which squares x's relative error. The first
 * x is a double with a relative error of at most 2^-49. After three steps this error is far below
 * 2^-256, and only the error of rounding the products remains. */
struct fixed fixed_inverse(struct fixed a)
{
    const struct fixed two = fixed_of(2);
    struct fixed x;
    double sum = 0;

    for (int i = 0; i < FIXED_LIMBS; i++)
        sum += ldexp(a.limb[i], 32 * (i - FIXED_FRACTION));
    x = fixed_of(1 / sum);
    for (int i = 0; i < 3; i++)
        x = fixed_multiply(x, fixed_subtract(two, fixed_multiply(a, x)));
    return x;
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
 *
 *     1 - z/1 (1 - z/2 (1 - z/3 ...)) with 24 terms,
 *
 * omits z^25 / 25! < 2^-283, and rounds by less than 2^-255. Each of the 16 squarings doubles the
 * error and adds 2^-256: in the end the error is below 2^-238. */
struct fixed fixed_exp_negative(struct fixed a)
{
    const struct fixed one = fixed_of(1), z = fixed_divide_by(a, 1 << 16);
    struct fixed power = one;

    for (unsigned n = 24; n > 0; n--)
        power = fixed_subtract(one, fixed_divide_by(fixed_multiply(z, power), n));
    for (int i = 0; i < 16; i++)
        power = fixed_multiply(power, power);
    return power;
}
