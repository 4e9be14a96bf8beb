/* SPDX-License-Identifier: MIT */
/* The operations that cpu/vectors.h names, in AVX-512. Only for inclusion there. */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_AVX512_H
#define SMOOTHIMG_SMOOTH_VECTORS_AVX512_H

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

#endif
