/* SPDX-License-Identifier: MIT */
/* Decimal numbers as they are written, exactly: 0.7 is seven tenths, which no double is. */
#ifndef SMOOTHIMG_DECIMAL_H
#define SMOOTHIMG_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define DECIMAL_DIGITS 64

/* 0.d1d2d3... times 10^point. All zero: 0. */
struct decimal {
    int count; /* digits; the first of them is not 0 */
    int point;
    unsigned char digits[DECIMAL_DIGITS]; /* 0..9 */
};

/* Reads "2.5", ".5", "+2" or "25e-1". False if the text is anything else, or has more digits than
 * DECIMAL_DIGITS. */
bool decimal_parse(const char *text, struct decimal *number);

/* floor(a b + 1/2), or INT64_MAX if that is not below 10^18. */
int64_t decimal_round_product(const struct decimal *a, const struct decimal *b);

/* *units: the number in units of 10^-places. False if it is not a whole number of them, or not
 * below 10^18. */
bool decimal_in_units(const struct decimal *number, int places, int64_t *units);

#endif
