/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in AVX2. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_AVX2_H
#define SMOOTHIMG_SMOOTH_VECTORS_AVX2_H

static inline void bytes_widened(const uint8_t *from, words wide[2])
{
    const __m256i bytes = _mm256_loadu_si256((const void *)from), zero = _mm256_setzero_si256();

    wide[0] = (words)_mm256_unpacklo_epi8(bytes, zero);
    wide[1] = (words)_mm256_unpackhi_epi8(bytes, zero);
}

static inline void bytes_added(const uint8_t *a, const uint8_t *b, words sums[2])
{
    const __m256i first = _mm256_loadu_si256((const void *)a), ones = _mm256_set1_epi8(1);
    __m256i second = _mm256_loadu_si256((const void *)b);

    HELD(second); /* gcc 12 would store it on the stack and load it again */
    sums[0] = (words)_mm256_maddubs_epi16(_mm256_unpacklo_epi8(first, second), ones);
    sums[1] = (words)_mm256_maddubs_epi16(_mm256_unpackhi_epi8(first, second), ones);
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

static inline words words_joined(ints low, ints high)
{
    return (words)_mm256_blend_epi16((__m256i)low, (__m256i)high, 0xaa);
}

static inline words words_packed(ints a, ints b)
{
    return (words)_mm256_packs_epi32((__m256i)a, (__m256i)b);
}

static inline words words_min(words a, words b)
{
    return (words)_mm256_min_epu16((__m256i)a, (__m256i)b);
}

static inline uint32_t small_lanes(words value, uint16_t limit)
{
    const words small = words_min(value, (words)_mm256_set1_epi16((int16_t)limit)) == value;
    const __m256i all = (__m256i)small;

    return (uint32_t)_mm_movemask_epi8(
        _mm_packs_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
}

static inline bool any_small(words value, uint16_t limit)
{
    const words small = words_min(value, (words)_mm256_set1_epi16((int16_t)limit)) == value;

    return _mm256_movemask_epi8((__m256i)small) != 0;
}

static inline void bytes_store(uint8_t *to, words a, words b)
{
    const __m256i bytes = _mm256_packus_epi16((__m256i)a, (__m256i)b);

    _mm256_storeu_si256((void *)to, bytes);
}

#endif
