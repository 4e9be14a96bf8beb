/* SPDX-License-Identifier: MIT */
/* Unsigned fixed-point numbers with 64 bits before the point and 256 after it, for the weights of
 * filters and for the curves of sRGB and gamma. Functions round down, with an error below 2^-256,
 * unless they say otherwise. No function allocates. All give the same bits on every machine. */
#ifndef SMOOTHIMG_FIXED_H
#define SMOOTHIMG_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#define FIXED_LIMBS 10
#define FIXED_FRACTION 8 /* limbs of the fraction */

struct fixed {
    uint32_t limb[FIXED_LIMBS]; /* digits in base 2^32, the lowest first */
};

bool fixed_is_less(const struct fixed *a, const struct fixed *b);

/* The result is exact for 0 and for 2^-200 <= value < 2^64. */
struct fixed fixed_of(double value);

/* Results are modulo 2^64. */
struct fixed fixed_add(struct fixed a, struct fixed b);
struct fixed fixed_subtract(struct fixed a, struct fixed b);
struct fixed fixed_multiply(struct fixed a, struct fixed b);
struct fixed fixed_multiply_by(struct fixed a, uint32_t b);

struct fixed fixed_divide_by(struct fixed a, uint32_t b);

/* Returns 1 / a for 2^-6 < a <= 2^62, within 2^-248. */
struct fixed fixed_inverse(struct fixed a);

/* Returns the bits before the point. */
uint64_t fixed_floor(struct fixed a);

/* Returns exp(-a) for a below 256, within 2^-230. */
struct fixed fixed_exp_negative(struct fixed a);

#endif
