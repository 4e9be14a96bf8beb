/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. */
#include "kernels/smooth/cpu/u8/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/u8/columns.h"
#include "kernels/smooth/cpu/u8/rows.h"
#include "kernels/smooth/cpu/vectors.h"

/* WORDS samples from src[i] on. */
INLINED void widen_vector(const uint8_t *src, int16_t *line, int64_t i)
{
    const words wide = words_widened(src + i);

    memcpy(line + i, &wide, sizeof wide);
}

static void widen(const uint8_t *src, int16_t *line, int64_t n)
{
    int64_t i = 0;

    for (; i + 2 * WORDS <= n; i += 2 * WORDS) {
        widen_vector(src, line, i);
        widen_vector(src, line, i + WORDS);
    }
    if (i + WORDS <= n)
        widen_vector(src, line, i);
    if (n >= WORDS)
        widen_vector(src, line, n - WORDS); /* overlaps the one before */
    else
        for (; i < n; i++)
            line[i] = src[i];
}

#define GROUPS (U8_BLOCK / WORDS < 4 ? U8_BLOCK / WORDS : 4)

static void filter_line(const int16_t *line, const struct smooth_u8_weights *weights, int64_t step,
                        float *sums, int64_t n)
{
    const int64_t halo = weights->halo_x;

    if (step == 1 && weights->digits == 1)
        filter_grey(line, weights, halo, 1, GROUPS, sums, n);
    else if (step == 1)
        filter_grey(line, weights, halo, 2, GROUPS / 2, sums, n);
    else if (weights->digits == 1)
        filter_channels(line, weights, step, 1, GROUPS, sums, n);
    else
        filter_channels(line, weights, step, 2, GROUPS / 2, sums, n);
}

/* With few taps, all of them are unrolled. */
static void filter_rows(float *const *rows, const struct smooth_u8_weights *weights,
                        uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                        const struct fetches *ahead)
{
    switch (weights->halo_y) {
    case 1:
        filter_two_rows(NULL, rows, weights, 1, dst, unresolved, n, ahead);
        break;
    case 2:
        filter_two_rows(NULL, rows, weights, 2, dst, unresolved, n, ahead);
        break;
    case 3:
        filter_two_rows(NULL, rows, weights, 3, dst, unresolved, n, ahead);
        break;
    case 4:
        filter_two_rows(NULL, rows, weights, 4, dst, unresolved, n, ahead);
        break;
    default:
        filter_two_rows(NULL, rows, weights, weights->halo_y, dst, unresolved, n, ahead);
    }
}

static void filter_fused(const uint8_t *const *src, float *const *rows,
                         const struct smooth_u8_weights *weights, uint8_t *const *dst,
                         struct unresolved *unresolved, int64_t n, const struct fetches *ahead)
{
    switch (weights->halo_y) {
    case 1:
        filter_two_rows(src, rows, weights, 1, dst, unresolved, n, ahead);
        break;
    case 2:
        filter_two_rows(src, rows, weights, 2, dst, unresolved, n, ahead);
        break;
    case 3:
        filter_two_rows(src, rows, weights, 3, dst, unresolved, n, ahead);
        break;
    default:
        filter_two_rows(src, rows, weights, 4, dst, unresolved, n, ahead);
    }
}

#ifdef __AVX512BW__
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
#define FILTER_SAMPLE filter_sample
#else
#define FILTER_SAMPLE NULL
#endif

extern const struct smooth_u8_loops FOR_ISA(smooth_u8_loops);
const struct smooth_u8_loops FOR_ISA(smooth_u8_loops) = {
    .widen = widen,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .filter_fused = filter_fused,
    .filter_sample = FILTER_SAMPLE,
};
