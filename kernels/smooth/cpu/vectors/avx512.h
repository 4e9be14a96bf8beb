/* SPDX-License-Identifier: MIT */
/* The operations that vectors.h lists, in AVX-512. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_AVX512_H
#define SMOOTHIMG_SMOOTH_VECTORS_AVX512_H

static inline void bytes_widened(const uint8_t *from, words wide[2])
{
    const __m512i bytes = _mm512_loadu_si512(from), zero = _mm512_setzero_si512();

    wide[0] = (words)_mm512_unpacklo_epi8(bytes, zero);
    wide[1] = (words)_mm512_unpackhi_epi8(bytes, zero);
}

static inline void bytes_added(const uint8_t *a, const uint8_t *b, words sums[2])
{
    const __m512i first = _mm512_loadu_si512(a), second = _mm512_loadu_si512(b);
    const __m512i ones = _mm512_set1_epi8(1);

    sums[0] = (words)_mm512_maddubs_epi16(_mm512_unpacklo_epi8(first, second), ones);
    sums[1] = (words)_mm512_maddubs_epi16(_mm512_unpackhi_epi8(first, second), ones);
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

static inline words words_joined(ints low, ints high)
{
    return (words)_mm512_mask_blend_epi16(0xaaaaaaaa, (__m512i)low, (__m512i)high);
}

static inline words words_packed(ints a, ints b)
{
    return (words)_mm512_packs_epi32((__m512i)a, (__m512i)b);
}

static inline words words_min(words a, words b)
{
    return (words)_mm512_min_epu16((__m512i)a, (__m512i)b);
}

static inline uint32_t small_lanes(words value, uint16_t limit)
{
    return _mm512_cmple_epu16_mask((__m512i)value, _mm512_set1_epi16((int16_t)limit));
}

static inline bool any_small(words value, uint16_t limit)
{
    return small_lanes(value, limit) != 0;
}

static inline void bytes_store(uint8_t *to, words a, words b)
{
    const __m512i bytes = _mm512_packus_epi16((__m512i)a, (__m512i)b);

    _mm512_storeu_si512(to, bytes);
}

#endif
