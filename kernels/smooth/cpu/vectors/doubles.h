/* SPDX-License-Identifier: MIT */
/* Vectors of doubles. A function named TYPE_at, such as u8_at, loads WIDTH samples of that type and
 * converts them to doubles. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_DOUBLES_H
#define SMOOTHIMG_SMOOTH_VECTORS_DOUBLES_H

#include "kernels/smooth/cpu/vectors/vectors.h"

#define WIDTH (VECTOR_BYTES / 8)

typedef double vector __attribute__((vector_size(VECTOR_BYTES), ANYWHERE(1)));
/* Results of a comparison: a lane is -1 where it is true, else 0. */
typedef int64_t truths __attribute__((vector_size(VECTOR_BYTES), may_alias));

INLINED vector at(const double *from)
{
    return *(const vector *)from;
}

INLINED vector all(double value)
{
    return value - (vector){0};
}

/* PICKED() rearranges the numbers of vectors A and B. Number the lanes of A from 0 to WIDTH - 1,
 * and those of B from WIDTH on: lane i of the result is the lane with number INDEX(i, ...). */
#if WIDTH == 2
#define PICKED(A, B, INDEX, ...)                                                                   \
    __builtin_shufflevector(A, B, INDEX(0, __VA_ARGS__), INDEX(1, __VA_ARGS__))
#elif WIDTH == 4
#define PICKED(A, B, INDEX, ...)                                                                   \
    __builtin_shufflevector(A, B, INDEX(0, __VA_ARGS__), INDEX(1, __VA_ARGS__),                    \
                            INDEX(2, __VA_ARGS__), INDEX(3, __VA_ARGS__))
#else
#define PICKED(A, B, INDEX, ...)                                                                   \
    __builtin_shufflevector(A, B, INDEX(0, __VA_ARGS__), INDEX(1, __VA_ARGS__),                    \
                            INDEX(2, __VA_ARGS__), INDEX(3, __VA_ARGS__), INDEX(4, __VA_ARGS__),   \
                            INDEX(5, __VA_ARGS__), INDEX(6, __VA_ARGS__), INDEX(7, __VA_ARGS__))
#endif

/* Returns in each lane `value` where the mask is -1, and `other` where it is 0. */
INLINED vector chosen(truths mask, vector value, vector other)
{
    return (vector)(((truths)value & mask) | ((truths)other & ~mask));
}

INLINED bool any_negative(truths a)
{
#if defined __SSE2__ && !defined __AVX512F__
    return X86(movemask_pd)((doubles)a) != 0;
#else
    int64_t any = 0;

    UNROLLED
    for (int i = 0; i < WIDTH; i++)
        any |= a[i];
    return any < 0;
#endif
}

/* WIDTH integers of 32 bits. */
typedef int32_t small_ints __attribute__((vector_size(4 * WIDTH)));

INLINED vector of_ints(small_ints numbers)
{
#ifdef __AVX2__
    return (vector)X86(cvtepi32_pd)((half_integers)numbers);
#else
    return __builtin_convertvector(numbers, vector);
#endif
}

INLINED vector floats_at(const float *from)
{
    float some __attribute__((vector_size(4 * WIDTH)));

    memcpy(&some, from, sizeof some);
#ifdef __AVX2__
    return (vector)X86(cvtps_pd)((half_floats)some);
#else
    return __builtin_convertvector(some, vector);
#endif
}

INLINED vector i32_at(const int32_t *from)
{
    small_ints some;

    memcpy(&some, from, sizeof some);
    return of_ints(some);
}

#ifdef __AVX2__
#define DEFINE_SMALL_AT(NAME, TYPE, CONVERT)                                                       \
    INLINED vector NAME##_at(const TYPE *from)                                                     \
    {                                                                                              \
        __m128i some = _mm_setzero_si128();                                                        \
                                                                                                   \
        memcpy(&some, from, WIDTH * sizeof(TYPE));                                                 \
        return of_ints((small_ints)X86_HALF(CONVERT)(some));                                       \
    }
#else
#define DEFINE_SMALL_AT(NAME, TYPE, CONVERT)                                                       \
    INLINED vector NAME##_at(const TYPE *from)                                                     \
    {                                                                                              \
        TYPE some __attribute__((vector_size(WIDTH * sizeof(TYPE))));                              \
                                                                                                   \
        memcpy(&some, from, sizeof some);                                                          \
        return of_ints(__builtin_convertvector(some, small_ints));                                 \
    }
#endif
DEFINE_SMALL_AT(u8, uint8_t, cvtepu8_epi32)
DEFINE_SMALL_AT(i8, int8_t, cvtepi8_epi32)
DEFINE_SMALL_AT(u16, uint16_t, cvtepu16_epi32)
DEFINE_SMALL_AT(i16, int16_t, cvtepi16_epi32)

typedef float halves __attribute__((vector_size(WIDTH * 4), ANYWHERE(4)));

/* Converts doubles to floats. For the generic conversion of wide vectors gcc 12 takes several
 * instructions, so AVX2 and AVX-512 use the intrinsic. */
INLINED halves narrowed(vector value)
{
#ifdef __AVX2__
    return (halves)X86(cvtpd_ps)((doubles)value);
#else
    return __builtin_convertvector(value, halves);
#endif
}

#endif
