/* SPDX-License-Identifier: MIT */
/* Integers of many words, for exact sums: words of 64 bits, the lowest first, in two's complement.
 * Their number is the caller's, who makes it large enough for every sum: WIDE_WORDS is. */
#ifndef SMOOTHIMG_ARRAYS_WIDE_H
#define SMOOTHIMG_ARRAYS_WIDE_H

#include "kernels/common/arrays.h"

/* At most so many. A double reaches from 2^-1074 to 2^1024; each axis adds the bits of a weight,
 * and those of the sum of 2 halo + 1. */
#define WIDE_WORDS ((2110 + ARRAY_FILTERED * (ARRAY_WEIGHT_BITS + 12)) / 64 + 4)

/* *sum += value 2^shift, none of which is negative: no carry goes further than it has to. The sum
 * has room for three words from that of 2^shift on, and for the carry. */
void wide_add(uint64_t *sum, uint128 value, int64_t shift);

/* *sum -= part */
void wide_subtract(uint64_t *sum, const uint64_t *part, int words);

/* *sum += part * factor, or -= if negative; part may be negative too. part is left alone. */
void wide_add_product(uint64_t *sum, const uint64_t *part, int words, uint128 factor,
                      bool negative);

/* Makes it positive; returns whether it was negative. */
bool wide_take_sign(uint64_t *value, int words);

bool wide_is_zero(const uint64_t *value, int words);

/* *sum += value^2; value is positive, and the sum of 2 words words. */
void wide_add_square(uint64_t *sum, const uint64_t *value, int words);

/* A number that is not negative: (integer + rest) 2^-point, 0 <= rest < 1, of which is known
 * whether it is 0. */
struct wide_number {
    const uint64_t *integer;
    int words;
    int64_t point;
    bool rest;
};

/* The root of a number without rest and with an even point: in root[0..1], with at least 126
 * significant bits. */
struct wide_number wide_root(const struct wide_number *square, uint64_t root[2]);

/* The bits of the sample nearest to the number, negated if negative: see arrays.h. */
uint64_t wide_round(const struct wide_number *number, bool negative, enum sample_type type);

#endif
