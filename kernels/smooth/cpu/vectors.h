/* SPDX-License-Identifier: MIT */
/* The few vector operations that C cannot spell, once for each instruction set (common/isa.h).
 * Sums, products and conversions are written with the compilers' vector types and look like C.
 *
 *     words   16-bit samples and weights          ints, floats   half as many of 32 bits
 *
 * All interleaving is done within 128 bits, as processors do: words_low(a, b) has of each
 * group of 8 words the first 4 of a and b by turns, words_high the last 4. Whatever order that
 * leaves, bytes_store undoes, since its packing works within 128 bits too. The map is lane_place.
 */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_H
#define SMOOTHIMG_SMOOTH_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#ifdef __AVX512BW__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif
#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 8") /* a loop over registers */
#define WORDS (VECTOR_BYTES / 2)
#define INTS (VECTOR_BYTES / 4)
#define PAIRS (VECTOR_BYTES == 64 ? 2 : 1) /* of vectors of ints: what registers bear, twice */

typedef int16_t words __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));

static inline words words_load(const int16_t *from)
{
    words value;

    memcpy(&value, from, sizeof value);
    return value;
}

static inline floats floats_load(const float *from)
{
    floats value;

    memcpy(&value, from, sizeof value);
    return value;
}

static inline void floats_store(float *to, floats value)
{
    memcpy(to, &value, sizeof value);
}

static inline floats to_floats(ints value)
{
    return __builtin_convertvector(value, floats);
}

static inline ints to_ints(floats value) /* towards zero */
{
    return __builtin_convertvector(value, ints);
}

/* Where lane `lane` of the `vector`th of a row of ints from words_low, words_high, words_low, ...
 * is in the row. */
static inline int64_t lane_place(int vector, int lane)
{
    return vector / 2 * WORDS + lane / 4 * 8 + vector % 2 * 4 + lane % 4;
}

/* Operations on
 *   words_widened(from)    WORDS bytes
 *   words_pair(two)        two[0], two[1] by turns
 *   madd(sums, a, b)       sums + the sums of two neighbouring products of words
 *   words_low, words_high  see above;  ints_low, ints_high  the same for ints: of 4 the first 2
 *   zero_lanes(v, mask)    a bit for each lane with v & mask == 0
 *   any_zero(v, mask)      whether there are any in v[0..2 PAIRS-1]
 *   bytes_store(to, v)     PAIRS * WORDS bytes: v[0..2 PAIRS-1], 0 or more, cut off at 255, in
 * order
 */
#ifdef __AVX512BW__
#include "kernels/smooth/cpu/vectors_avx512.h"
#elif defined __AVX2__
#include "kernels/smooth/cpu/vectors_avx2.h"
#else
#include "kernels/smooth/cpu/vectors_portable.h"
#endif

#endif
