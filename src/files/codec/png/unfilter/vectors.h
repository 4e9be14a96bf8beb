/* SPDX-License-Identifier: MIT */
/* Vectors of 16 bytes, for diagonals.c. The functions with SSE2's instructions are those that the
 * compiler does not find there by itself. */
#ifndef SMOOTHIMG_CODEC_PNG_VECTORS_H
#define SMOOTHIMG_CODEC_PNG_VECTORS_H

#include "src/files/codec/png/unfilter/unfilter.h"

#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define VECTOR UNFILTER_VECTOR

typedef uint8_t vector __attribute__((vector_size(VECTOR)));

#define INLINE static inline __attribute__((always_inline))

/* a where the mask is 255, b where it is 0. */
INLINE vector choose(vector mask, vector a, vector b)
{
    return (a & mask) | (b & ~mask);
}

#ifdef __SSE2__
INLINE vector smaller(vector a, vector b)
{
    return (vector)_mm_min_epu8((__m128i)a, (__m128i)b);
}

INLINE vector larger(vector a, vector b)
{
    return (vector)_mm_max_epu8((__m128i)a, (__m128i)b);
}

/* a - b, or 0 if that is negative. */
INLINE vector excess(vector a, vector b)
{
    return (vector)_mm_subs_epu8((__m128i)a, (__m128i)b);
}
#else
INLINE vector smaller(vector a, vector b)
{
    return choose((vector)(a < b), a, b);
}

INLINE vector larger(vector a, vector b)
{
    return choose((vector)(a < b), b, a);
}

INLINE vector excess(vector a, vector b)
{
    return (a - b) & (vector)(a > b);
}
#endif

/* A vector whose bytes are `bytes` places further on, after zeros. */
#define MOVED(N)                                                                                   \
    case N:                                                                                        \
        return __builtin_shufflevector((vector){0}, a, 16 - N, 17 - N, 18 - N, 19 - N, 20 - N,     \
                                       21 - N, 22 - N, 23 - N, 24 - N, 25 - N, 26 - N, 27 - N,     \
                                       28 - N, 29 - N, 30 - N, 31 - N)

INLINE vector moved(vector a, size_t bytes)
{
    switch (bytes) {
        MOVED(1);
        MOVED(2);
        MOVED(3);
        MOVED(4);
        MOVED(6);
    default:
        MOVED(8);
    }
}

/* 255 in the first `bytes` bytes. */
INLINE vector first_bytes(size_t bytes)
{
    vector mask = {0};

    for (size_t i = 0; i < bytes; i++)
        mask[i] = 255;
    return mask;
}

#define LOW_HALVES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_HALVES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

/* 16 rows of 16 bytes. Row i and row i + 8, byte by byte in turn, are rows 2 i and 2 i + 1: that
 * moves the number of a row's first bit into the place of a byte; four times, and rows are columns.
 */
INLINE void transpose(vector rows[VECTOR])
{
    for (int round = 0; round < 4; round++) {
        vector mixed[VECTOR];

        for (int i = 0; i < 8; i++) {
            mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 8], LOW_HALVES);
            mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 8], HIGH_HALVES);
        }
        memcpy(rows, mixed, sizeof mixed);
    }
}

#endif
