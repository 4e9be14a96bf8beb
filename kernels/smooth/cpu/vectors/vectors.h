/* SPDX-License-Identifier: MIT */
/* Defines the vector operations for which C has no operators, in the instruction set for which the
 * file is compiled (common/isa.h). Sums, products and conversions use the compilers' vector types
 * and look like C.
 *
 *     words          a vector of 16-bit samples or weights
 *     ints, floats   a vector of half as many 32-bit numbers
 *
 * Vectors are interleaved within groups of 128 bits, as the instructions do it: words_low(a, b)
 * alternates the first 4 words of each group of a and of b, words_high the last 4. Sums of such
 * words are not in the order of the samples. words_packed restores that order, because it also
 * works within 128 bits; lane_place() tells which sample a lane belongs to. If one vector has sums
 * of even samples and another those of odd samples, words_joined interleaves them. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_H
#define SMOOTHIMG_SMOOTH_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif
#ifdef LEVEL_NEON
#include <arm_neon.h>
#endif

/* X86(NAME) is the intrinsic NAME for vectors of VECTOR_BYTES, whose types are `integers` and
 * `doubles`. X86_HALF(NAME) is the intrinsic for vectors of half as many bytes. */
#ifdef __AVX512BW__
#define VECTOR_BYTES 64
#define X86(NAME) _mm512_##NAME
#define X86_HALF(NAME) _mm256_##NAME
typedef __m512i integers;
typedef __m512d doubles;
typedef __m256i half_integers;
typedef __m256 half_floats;
#elif defined __AVX2__
#define VECTOR_BYTES 32
#define X86(NAME) _mm256_##NAME
#define X86_HALF(NAME) _mm_##NAME
typedef __m256i integers;
typedef __m256d doubles;
typedef __m128i half_integers;
typedef __m128 half_floats;
#else
#define VECTOR_BYTES 16
#ifdef __SSE2__
#define X86(NAME) _mm_##NAME
typedef __m128i integers;
typedef __m128d doubles;
#endif
#endif
#if defined __AVX512BW__ || defined LEVEL_NEON
#define VECTOR_REGISTERS 32
#else
#define VECTOR_REGISTERS 16
#endif
/* Attributes of a vector type that may be at any address that is a multiple of BYTES. gcc 14 on ARM
 * fails (internal error) for arguments of a type with both attributes; there vectors need no
 * alignment anyway. */
#ifdef __aarch64__
#define ANYWHERE(BYTES) may_alias
#else
#define ANYWHERE(BYTES) aligned(BYTES), may_alias
#endif
/* Every vector operation is inlined, also at -O0 and with sanitizers: there a call for each
 * operation would take most of the time. */
#define INLINED static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 8") /* for a loop over registers */
/* Calls FUNCTION(HALO, ...) with a constant if HALO is 1 to 4, so that loops over taps are
 * unrolled. Evaluates OTHERS for other halos. */
#define FEW_TAPS 4
#define FOR_FEW_TAPS(HALO, OTHERS, FUNCTION, ...)                                                  \
    ((HALO) == 1   ? FUNCTION(1, __VA_ARGS__)                                                      \
     : (HALO) == 2 ? FUNCTION(2, __VA_ARGS__)                                                      \
     : (HALO) == 3 ? FUNCTION(3, __VA_ARGS__)                                                      \
     : (HALO) == 4 ? FUNCTION(4, __VA_ARGS__)                                                      \
                   : (OTHERS))
#define UNROLLED_TWICE _Pragma("GCC unroll 2") /* for a loop over taps; more would be slower */
/* HELD keeps a vector in its register. On x86, gcc 12 would otherwise copy sums from one register
 * to another. */
#ifdef __AVX512F__
#define HELD(VECTOR) __asm__("" : "+v"(VECTOR))
#elif defined __SSE2__
#define HELD(VECTOR) __asm__("" : "+x"(VECTOR))
#else
#define HELD(VECTOR) (void)(VECTOR)
#endif
/* Makes the compiler read variables from memory again. Otherwise gcc tries to keep more weights in
 * registers than there are registers, and spills them. */
#define RELOADED() __asm__ volatile("" ::: "memory")
#define WORDS (VECTOR_BYTES / 2)
#define INTS (VECTOR_BYTES / 4)
/* How many pairs of vectors of sums a loop keeps in registers for a row. */
#define PAIRS (VECTOR_REGISTERS == 32 ? 2 : 1)

typedef int16_t words __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES)));
typedef float floats __attribute__((vector_size(VECTOR_BYTES)));

INLINED floats floats_load(const float *from)
{
    floats value;

    memcpy(&value, from, sizeof value);
    return value;
}

INLINED void floats_store(float *to, floats value)
{
    memcpy(to, &value, sizeof value);
}

INLINED floats to_floats(ints value)
{
    return __builtin_convertvector(value, floats);
}

INLINED ints to_ints(floats value) /* rounds towards zero */
{
    return __builtin_convertvector(value, ints);
}

/* Two vectors of ints hold a number for each of WORDS samples: vector 0 in the order of words_low,
 * vector 1 in the order of words_high. Returns the index of the sample in lane `lane` of
 * `vector`. */
INLINED int64_t lane_place(int vector, int lane)
{
    return lane / 4 * 8 + vector * 4 + lane % 4;
}

/* Returns the index, among 2 WORDS bytes, of word `lane` of vector 0 or 1. The instructions widen
 * bytes within groups of 128 bits: vector 0 gets the first 8 of each 16 bytes, vector 1 the last
 * 8. */
INLINED int64_t bytes_place(int vector, int lane)
{
    return lane / 8 * 16 + vector * 8 + lane % 8;
}

/* Each of the headers below defines
 *   LANE_BITS              the distance of the bits of adjacent lanes in a result of small_lanes()
 *   words_min(a, b)        the lesser of a's and b's word in each lane, as unsigned numbers
 *   small_lanes(v, limit)  sets bit LANE_BITS * i if word i of v, unsigned, is at most limit; all
 *                          other bits are 0
 *   any_small(v, limit)    true if there is such a word
 *   bytes_store(p, a, b)   stores the words of a and of b as 2 WORDS bytes, at the indices that
 *                          bytes_place() gives. Words are 0 or more; above 255 they become 255
 * and, except for NEON, for which u8/rows_neon.h has its own first pass,
 *   bytes_widened(from, w)  2 WORDS bytes, as two vectors of words, in the order of bytes_place()
 *   bytes_added(a, b, w)    the sums of 2 WORDS bytes at a and at b, in the same order
 *   words_pair(two)        two[0], two[1], two[0], two[1], ...
 *   madd(sums, a, b)       in lane i, sums[i] + a[2i] * b[2i] + a[2i + 1] * b[2i + 1]
 *   words_low, words_high  interleave two vectors (see the head of this file)
 *   words_joined(l, h)     for each lane of ints, the lower word of l, then the upper word of h
 *   words_packed(a, b)     4 ints of a, 4 of b, and so on, as words; each must fit a word */
#ifdef X86
#include "kernels/smooth/cpu/vectors/x86.h"
#elif defined LEVEL_NEON
#include "kernels/smooth/cpu/vectors/neon.h"
#else
#include "kernels/smooth/cpu/vectors/portable.h"
#endif

#endif
