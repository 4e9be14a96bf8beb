/* SPDX-License-Identifier: MIT */
/* Arithmetic on integers: min() and max(), which CUDA has too, and round_up(); carve() cuts memory
 * into arrays. */
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

/* Allocates an array of `bytes` bytes from memory that the caller provides: returns *memory, which
 * is aligned to 64 bytes, and advances *memory by `bytes`, rounded up to a multiple of 64. If
 * *memory is 0 before the first call, nothing is allocated: *memory after the last call is the
 * number of bytes that all arrays take, or the greatest multiple of 64 if they take more. */
static inline void *carve(uintptr_t *memory, int64_t bytes)
{
    const uintptr_t most = UINTPTR_MAX - 63;
    const uint64_t rounded = (uint64_t)round_up(bytes, 64);
    void *carved = (void *)*memory;

    *memory = rounded > most - *memory ? most : *memory + (uintptr_t)rounded;
    return carved;
}

#endif
