/* SPDX-License-Identifier: MIT */
/* Arithmetic on integers: min() and max(), which CUDA has too, and round_up(). */
#ifndef SMOOTHIMG_NUMBERS_H
#define SMOOTHIMG_NUMBERS_H

#include <stdint.h>

#ifndef __cplusplus /* CUDA has them */
static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}
#endif

/* Rounds count up to a multiple of unit; count >= 0, unit >= 1. */
static inline int64_t round_up(int64_t count, int64_t unit)
{
    return (count - 1 + unit) / unit * unit;
}

#endif
