/* SPDX-License-Identifier: MIT */
/* The operations that cpu/vectors.h lists, in AVX2. Included by cpu/vectors.h only. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_AVX2_H
#define SMOOTHIMG_SMOOTH_VECTORS_AVX2_H

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

#endif
