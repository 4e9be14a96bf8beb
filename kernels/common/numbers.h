/* SPDX-License-Identifier: MIT */
/* Arithmetic on counts that C has no words for. */
#ifndef SMOOTHIMG_NUMBERS_H
#define SMOOTHIMG_NUMBERS_H

#include <stdint.h>

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The next multiple of unit; count and unit are at least 1. */
static inline int64_t round_up(int64_t count, int64_t unit)
{
    return (count - 1 + unit) / unit * unit;
}

#endif
