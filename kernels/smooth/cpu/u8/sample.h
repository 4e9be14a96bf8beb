/* SPDX-License-Identifier: MIT */
/* The repair's doubles: struct smooth_u8_loops.filter_sample, in instruction sets that have vectors
 * for it. Only for u8/loops.c. */
#ifndef SMOOTHIMG_SMOOTH_U8_SAMPLE_H
#define SMOOTHIMG_SMOOTH_U8_SAMPLE_H

#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/vectors.h"

#if defined __AVX512BW__
#define FILTER_SAMPLE filter_sample

/* 16 samples of two rows added up; of samples from n on there is nothing, and nothing is read. */
INLINED __m256i two_rows(const uint8_t *above, const uint8_t *below, int64_t n)
{
    const __mmask16 there = (__mmask16)(n < 16 ? (1U << n) - 1 : 0xffff);

    return _mm256_add_epi16(_mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(there, above)),
                            _mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(there, below)));
}

/* 16 columns of the window at a time, folded down the rows, and each row's weight at its end. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t halo = weights->halo_y, n = 2 * weights->reach + 1;
    const uint8_t *centre = window + halo * stride;
    __m512d total = _mm512_setzero_pd();

    for (int64_t x = 0; x < n; x += 16) {
        __m512d low = _mm512_setzero_pd(), high = _mm512_setzero_pd();

        for (int64_t k = 0; k <= halo; k++) {
            const __m256i samples =
                two_rows(centre - k * stride + x, centre + k * stride + x, n - x);
            const __m512i wide = _mm512_cvtepu16_epi32(samples);
            const __m512d tap = _mm512_set1_pd(weights->taps[k] * (k ? 1 : 0.5));

            low = _mm512_fmadd_pd(tap, _mm512_cvtepi32_pd(_mm512_castsi512_si256(wide)), low);
            high =
                _mm512_fmadd_pd(tap, _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1)), high);
        }
        total = _mm512_fmadd_pd(low, _mm512_loadu_pd(weights->spread + x), total);
        total = _mm512_fmadd_pd(high, _mm512_loadu_pd(weights->spread + x + 8), total);
    }
    return _mm512_reduce_add_pd(total);
}

#elif defined __AVX2__
#define FILTER_SAMPLE filter_sample

/* n bytes, 8 at most, and zeros; none beyond is read. */
INLINED __m128i some_bytes(const uint8_t *from, int64_t n)
{
    uint32_t first, last;
    uint64_t all;

    if (n >= 8)
        return _mm_loadl_epi64((const void *)from);
    if (n < 4) /* 1 to 3 */
        return _mm_cvtsi32_si128(from[0] | from[n / 2] << n / 2 * 8 | from[n - 1] << (n - 1) * 8);
    memcpy(&first, from, sizeof first);
    memcpy(&last, from + n - 4, sizeof last);
    all = first | (uint64_t)last << (n - 4) * 8;
    return _mm_loadl_epi64((const void *)&all);
}

/* 8 samples of two rows added up; of samples from n on there is nothing, and nothing is read. */
INLINED __m256i two_rows(const uint8_t *above, const uint8_t *below, int64_t n)
{
    return _mm256_cvtepu16_epi32(_mm_add_epi16(_mm_cvtepu8_epi16(some_bytes(above, n)),
                                               _mm_cvtepu8_epi16(some_bytes(below, n))));
}

/* 8 columns of the window at a time, folded down the rows, and each row's weight at its end. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t halo = weights->halo_y, n = 2 * weights->reach + 1;
    const uint8_t *centre = window + halo * stride;
    __m256d first = _mm256_setzero_pd(), second = _mm256_setzero_pd();

    for (int64_t x = 0; x < n; x += 8) {
        __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();

        for (int64_t k = 0; k <= halo; k++) {
            const __m256i wide = two_rows(centre - k * stride + x, centre + k * stride + x, n - x);
            const __m256d tap = _mm256_set1_pd(weights->taps[k] * (k ? 1 : 0.5));

            low = _mm256_fmadd_pd(tap, _mm256_cvtepi32_pd(_mm256_castsi256_si128(wide)), low);
            high =
                _mm256_fmadd_pd(tap, _mm256_cvtepi32_pd(_mm256_extracti128_si256(wide, 1)), high);
        }
        first = _mm256_fmadd_pd(low, _mm256_loadu_pd(weights->spread + x), first);
        second = _mm256_fmadd_pd(high, _mm256_loadu_pd(weights->spread + x + 4), second);
    }
    first = _mm256_add_pd(first, second);
    return (first[0] + first[1]) + (first[2] + first[3]);
}

#else
#define FILTER_SAMPLE NULL
#endif

#endif
