/* SPDX-License-Identifier: MIT */
/* The few vector operations that C cannot spell, once for each level of the processor. Sums,
 * products and conversions are written with the compilers' vector types and look like C.
 *
 *     words   16-bit samples and weights          ints, floats   half as many of 32 bits
 *
 * All interleaving is done within 128 bits, as processors like it: words_low(a, b) has of each
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
 * stands in the row. */
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
static inline words words_widened(const uint8_t *from)
{
    return (words)_mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)from));
}

static inline words words_pair(const int16_t *two)
{
    int32_t both;

    memcpy(&both, two, sizeof both);
    return (words)_mm512_set1_epi32(both);
}

static inline ints madd(ints sums, words a, words b)
{
#ifdef __AVX512VNNI__
    return (ints)_mm512_dpwssd_epi32((__m512i)sums, (__m512i)a, (__m512i)b);
#else
    return sums + (ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#endif
}

static inline words words_low(words a, words b)
{
    return (words)_mm512_unpacklo_epi16((__m512i)a, (__m512i)b);
}

static inline words words_high(words a, words b)
{
    return (words)_mm512_unpackhi_epi16((__m512i)a, (__m512i)b);
}

static inline ints ints_low(ints a, ints b)
{
    return (ints)_mm512_unpacklo_epi32((__m512i)a, (__m512i)b);
}

static inline ints ints_high(ints a, ints b)
{
    return (ints)_mm512_unpackhi_epi32((__m512i)a, (__m512i)b);
}

static inline uint32_t zero_lanes(ints value, int32_t mask)
{
    return _mm512_testn_epi32_mask((__m512i)value, _mm512_set1_epi32(mask));
}

static inline bool any_zero(const ints *v, int32_t mask)
{
    const __m512i bits = _mm512_set1_epi32(mask);
    __mmask16 all = _mm512_test_epi32_mask((__m512i)v[0], bits);

    all = _mm512_mask_test_epi32_mask(all, (__m512i)v[1], bits);
    all = _mm512_mask_test_epi32_mask(all, (__m512i)v[2], bits);
    all = _mm512_mask_test_epi32_mask(all, (__m512i)v[3], bits);
    return all != 0xffff;
}

static inline void bytes_store(uint8_t *to, const ints *v)
{
    const __m512i first = _mm512_packs_epi32((__m512i)v[0], (__m512i)v[1]);
    const __m512i second = _mm512_packs_epi32((__m512i)v[2], (__m512i)v[3]);
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);

    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(order, _mm512_packus_epi16(first, second)));
}
#elif defined __AVX2__
static inline words words_widened(const uint8_t *from)
{
    return (words)_mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)from));
}

static inline words words_pair(const int16_t *two)
{
    int32_t both;

    memcpy(&both, two, sizeof both);
    return (words)_mm256_set1_epi32(both);
}

static inline ints madd(ints sums, words a, words b)
{
    return sums + (ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

static inline words words_low(words a, words b)
{
    return (words)_mm256_unpacklo_epi16((__m256i)a, (__m256i)b);
}

static inline words words_high(words a, words b)
{
    return (words)_mm256_unpackhi_epi16((__m256i)a, (__m256i)b);
}

static inline ints ints_low(ints a, ints b)
{
    return (ints)_mm256_unpacklo_epi32((__m256i)a, (__m256i)b);
}

static inline ints ints_high(ints a, ints b)
{
    return (ints)_mm256_unpackhi_epi32((__m256i)a, (__m256i)b);
}

static inline uint32_t zero_lanes(ints value, int32_t mask)
{
    const ints zero = (value & mask) == 0;

    return (uint32_t)_mm256_movemask_ps((__m256)zero);
}

static inline bool any_zero(const ints *v, int32_t mask)
{
    const ints zero = ((v[0] & mask) == 0) | ((v[1] & mask) == 0);

    return _mm256_movemask_ps((__m256)zero) != 0;
}

static inline void bytes_store(uint8_t *to, const ints *v)
{
    const __m256i both = _mm256_packs_epi32((__m256i)v[0], (__m256i)v[1]);

    _mm_storeu_si128((void *)to, _mm_packus_epi16(_mm256_castsi256_si128(both),
                                                  _mm256_extracti128_si256(both, 1)));
}
#else
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

#endif
