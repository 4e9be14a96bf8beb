/* SPDX-License-Identifier: MIT */
/* The repair in doubles: struct smooth_u8_loops.filter_sample. */
#ifndef SMOOTHIMG_SMOOTH_U8_SAMPLE_H
#define SMOOTHIMG_SMOOTH_U8_SAMPLE_H

#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

#define REALS (VECTOR_BYTES / 8)
#define COLUMNS (REALS == 8 ? 16 : 8) /* columns of the window that are summed at a time */
#define PARTS (COLUMNS / REALS)

typedef double reals __attribute__((vector_size(VECTOR_BYTES)));

#ifdef __AVX512BW__
/* Adds COLUMNS samples of two rows. Samples from n on are zeros, and are not read. */
INLINED void two_rows(const uint8_t *above, const uint8_t *below, int64_t n, reals sums[PARTS])
{
    const __mmask16 there = (__mmask16)(n < 16 ? (1U << n) - 1 : 0xffff);
    const __m256i words_of_both =
        _mm256_add_epi16(_mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(there, above)),
                         _mm256_cvtepu8_epi16(_mm_maskz_loadu_epi8(there, below)));
    const __m512i wide = _mm512_cvtepu16_epi32(words_of_both);

    sums[0] = (reals)_mm512_cvtepi32_pd(_mm512_castsi512_si256(wide));
    sums[1] = (reals)_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(wide, 1));
}
#elif defined __AVX2__ || defined LEVEL_NEON
/* Loads n bytes, at most 8, followed by zeros; reads none beyond. */
INLINED uint64_t some_bytes(const uint8_t *from, int64_t n)
{
    uint32_t first, last;
    uint64_t all;

    if (n >= 8) {
        memcpy(&all, from, sizeof all);
        return all;
    }
    if (n < 4) /* 1 to 3 */
        return from[0] | (uint32_t)from[n / 2] << n / 2 * 8 | (uint32_t)from[n - 1] << (n - 1) * 8;
    memcpy(&first, from, sizeof first);
    memcpy(&last, from + n - 4, sizeof last);
    return first | (uint64_t)last << (n - 4) * 8;
}

INLINED void two_rows(const uint8_t *above, const uint8_t *below, int64_t n, reals sums[PARTS])
{
    const uint64_t first = some_bytes(above, n), second = some_bytes(below, n);
#ifdef __AVX2__
    const __m128i both = _mm_add_epi16(_mm_cvtepu8_epi16(_mm_cvtsi64_si128((int64_t)first)),
                                       _mm_cvtepu8_epi16(_mm_cvtsi64_si128((int64_t)second)));
    const __m256i wide = _mm256_cvtepu16_epi32(both);

    sums[0] = (reals)_mm256_cvtepi32_pd(_mm256_castsi256_si128(wide));
    sums[1] = (reals)_mm256_cvtepi32_pd(_mm256_extracti128_si256(wide, 1));
#else
    const uint16x8_t both = vaddl_u8(vcreate_u8(first), vcreate_u8(second));
    const uint32x4_t low = vmovl_u16(vget_low_u16(both)), high = vmovl_high_u16(both);

    sums[0] = (reals)vcvtq_f64_u64(vmovl_u32(vget_low_u32(low)));
    sums[1] = (reals)vcvtq_f64_u64(vmovl_high_u32(low));
    sums[2] = (reals)vcvtq_f64_u64(vmovl_u32(vget_low_u32(high)));
    sums[3] = (reals)vcvtq_f64_u64(vmovl_high_u32(high));
#endif
}
#else
INLINED void two_rows(const uint8_t *above, const uint8_t *below, int64_t n, reals sums[PARTS])
{
    double lanes[COLUMNS];

    for (int i = 0; i < COLUMNS; i++)
        lanes[i] = i < n ? above[i] + below[i] : 0;
    memcpy(sums, lanes, sizeof lanes);
}
#endif

/* Returns the sum of all lanes. It adds halves to halves, so that each number is rounded few times.
 */
INLINED double sum_of_parts(reals parts[PARTS])
{
    double lanes[REALS];

    UNROLLED
    for (int n = PARTS / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            parts[i] += parts[i + n];
    memcpy(lanes, &parts[0], sizeof lanes);
    UNROLLED
    for (int n = REALS / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            lanes[i] += lanes[i + n];
    return lanes[0];
}

/* Takes COLUMNS columns of the window at a time, sums them down the rows, and applies each column's
 * weight at the end. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t halo = weights->halo_y, n = 2 * weights->reach + 1;
    const uint8_t *centre = window + halo * stride;
    reals totals[PARTS] = {0};

    for (int64_t x = 0; x < n; x += COLUMNS) {
        reals sums[PARTS] = {0};

        for (int64_t k = 0; k <= halo; k++) {
            const double tap = weights->taps[k] * (k ? 1 : 0.5);
            reals both[PARTS];

            two_rows(centre - k * stride + x, centre + k * stride + x, n - x, both);
            UNROLLED
            for (int i = 0; i < PARTS; i++)
                sums[i] += tap * both[i];
        }
        UNROLLED
        for (int i = 0; i < PARTS; i++) {
            reals spread;

            memcpy(&spread, weights->spread + x + i * REALS, sizeof spread);
            totals[i] += spread * sums[i];
        }
    }
    return sum_of_parts(totals);
}

#endif
