/* SPDX-License-Identifier: MIT */
/* The operations that cpu/vectors.h lists, in vectors of 16 bytes, for any processor. Intrinsics of
 * SSE2 only where compilers do not find the instruction. Included by cpu/vectors.h only. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_PORTABLE_H
#define SMOOTHIMG_SMOOTH_VECTORS_PORTABLE_H

#define INTERLEAVED(A, B, ...) __builtin_shufflevector(A, B, __VA_ARGS__)

static inline words words_widened(const uint8_t *from)
{
    typedef uint8_t bytes __attribute__((vector_size(WORDS)));
    bytes narrow;

    memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, words);
}

static inline words words_pair(const int16_t *two)
{
    const int16_t a = two[0], b = two[1];

    return (words){a, b, a, b, a, b, a, b};
}

static inline ints madd(ints sums, words a, words b)
{
#ifdef __SSE2__
    return sums + (ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    typedef int16_t half __attribute__((vector_size(8)));
    const half a_even = INTERLEAVED(a, a, 0, 2, 4, 6), a_odd = INTERLEAVED(a, a, 1, 3, 5, 7);
    const half b_even = INTERLEAVED(b, b, 0, 2, 4, 6), b_odd = INTERLEAVED(b, b, 1, 3, 5, 7);

    sums += __builtin_convertvector(a_even, ints) * __builtin_convertvector(b_even, ints);
    return sums + __builtin_convertvector(a_odd, ints) * __builtin_convertvector(b_odd, ints);
#endif
}

static inline words words_low(words a, words b)
{
    return INTERLEAVED(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline words words_high(words a, words b)
{
    return INTERLEAVED(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

static inline ints ints_low(ints a, ints b)
{
    return INTERLEAVED(a, b, 0, 4, 1, 5);
}

static inline ints ints_high(ints a, ints b)
{
    return INTERLEAVED(a, b, 2, 6, 3, 7);
}

static inline uint32_t zero_lanes(ints value, int32_t mask)
{
    const ints zero = ((value & mask) == 0) & (ints){1, 2, 4, 8};

    return (uint32_t)(zero[0] | zero[1] | zero[2] | zero[3]);
}

static inline bool any_zero(const ints *v, int32_t mask)
{
    return zero_lanes(v[0], mask) | zero_lanes(v[1], mask);
}

static inline void bytes_store(uint8_t *to, const ints *v)
{
#ifdef __SSE2__
    const __m128i both = _mm_packs_epi32((__m128i)v[0], (__m128i)v[1]);

    _mm_storel_epi64((void *)to, _mm_packus_epi16(both, both));
#else
    for (int i = 0; i < WORDS; i++)
        to[i] = (uint8_t)(v[i / INTS][i % INTS] < 255 ? v[i / INTS][i % INTS] : 255);
#endif
}

#endif
