/* SPDX-License-Identifier: MIT */
/* Compiled once for each level of the processor, LEVEL being its name. Sums of a block of samples
 * stay in registers while the taps go by, so each loop below comes with the block's size as a
 * constant, and the compiler unrolls it. */
#include "smooth_u8_loops.h"

#include "levels.h"
#include "smooth_vectors.h"

#define INLINED static inline __attribute__((always_inline))
#define CACHE_LINE 64                    /* bytes */
#define UNROLLED _Pragma("GCC unroll 8") /* a loop over registers */

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

/* Stores the sums of one digit or two: low has the first ints of each 128 bits, high the last. */
INLINED void store_sums(float *to, const ints *low, const ints *high, int digits)
{
    floats first = to_floats(low[0]), second = to_floats(high[0]);

    if (digits == 2) {
        first = first * (float)(1 << DIGIT_BITS) + to_floats(low[1]);
        second = second * (float)(1 << DIGIT_BITS) + to_floats(high[1]);
    }
    floats_store(to, first);
    floats_store(to + INTS, second);
}

/* One channel. A vector of words from an odd or even place has, as neighbours, pairs of samples;
 * times pairs of taps they are two taps' worth of the sums of every second sample. The same vector
 * serves the samples in between, with the taps moved on by one. */
INLINED void filter_grey(const int16_t *line, const struct smooth_u8_weights *weights, int64_t halo,
                         int digits, int groups, float *sums, int64_t n)
{
    for (int64_t x = 0; x < n; x += groups * WORDS) {
        ints even[4][2] = {0}, odd[4][2] = {0};

        for (int64_t j = 0; j <= halo; j++)
            UNROLLED
        for (int digit = 0; digit < digits; digit++) {
            const int16_t *taps = weights->row[digit] + 2 * j;
            const words even_taps = words_pair(taps + 1), odd_taps = words_pair(taps);

            UNROLLED
            for (int i = 0; i < groups; i++) {
                const words samples = words_load(line + x + i * WORDS + 2 * j - halo);

                even[i][digit] = madd(even[i][digit], samples, even_taps);
                odd[i][digit] = madd(odd[i][digit], samples, odd_taps);
            }
        }
        UNROLLED
        for (int i = 0; i < groups; i++) {
            ints low[2], high[2];

            UNROLLED
            for (int digit = 0; digit < digits; digit++) {
                low[digit] = ints_low(even[i][digit], odd[i][digit]);
                high[digit] = ints_high(even[i][digit], odd[i][digit]);
            }
            store_sums(sums + x + i * WORDS, low, high, digits);
        }
    }
}

/* The samples at distance k on both sides of the centre, added up. */
INLINED words folded(const int16_t *centre, int64_t k, int64_t step)
{
    return k ? words_load(centre - k * step) + words_load(centre + k * step) : words_load(centre);
}

/* Any number of channels: neighbours of a channel are `step` apart, and pairs are made of the
 * folded samples at two distances. */
INLINED void filter_channels(const int16_t *line, const struct smooth_u8_weights *weights,
                             int64_t step, int digits, int groups, float *sums, int64_t n)
{
    const int64_t halo = weights->halo;

    for (int64_t x = 0; x < n; x += groups * WORDS) {
        ints low[4][2] = {0}, high[4][2] = {0};

        for (int64_t k = 0; k <= halo; k += 2) {
            const int64_t next = k < halo ? k + 1 : k; /* W(halo + 1) is 0 */

            UNROLLED
            for (int i = 0; i < groups; i++) {
                const int16_t *centre = line + x + i * WORDS;
                const words near = folded(centre, k, step), far = folded(centre, next, step);

                UNROLLED
                for (int digit = 0; digit < digits; digit++) {
                    const words taps = words_pair(weights->row[digit] + halo + 1 + k);

                    low[i][digit] = madd(low[i][digit], words_low(near, far), taps);
                    high[i][digit] = madd(high[i][digit], words_high(near, far), taps);
                }
            }
        }
        UNROLLED
        for (int i = 0; i < groups; i++)
            store_sums(sums + x + i * WORDS, low[i], high[i], digits);
    }
}

#define GROUPS (U8_BLOCK / WORDS < 4 ? U8_BLOCK / WORDS : 4)

static void filter_line(const int16_t *line, const struct smooth_u8_weights *weights, int64_t step,
                        float *sums, int64_t n)
{
    const int64_t halo = weights->halo;

    if (step == 1 && weights->digits == 1)
        filter_grey(line, weights, halo, 1, GROUPS, sums, n);
    else if (step == 1)
        filter_grey(line, weights, halo, 2, GROUPS / 2, sums, n);
    else if (weights->digits == 1)
        filter_channels(line, weights, step, 1, GROUPS, sums, n);
    else
        filter_channels(line, weights, step, 2, GROUPS / 2, sums, n);
}

/* Puts the places of a row of estimates that fail the test on the list. */
static void list_doubts(const ints *estimates, int32_t doubt, struct doubts *doubts, int64_t x,
                        int64_t n)
{
    for (int i = 0; i < 2 * PAIRS; i++)
        for (uint32_t bits = zero_lanes(estimates[i], doubt); bits; bits &= bits - 1) {
            const int64_t place = x + lane_place(i, __builtin_ctz(bits));

            if (place < n)
                doubts->places[doubts->count++] = (int32_t)place;
        }
}

/* Estimates to pixels. */
INLINED void finish(const floats *sums, int32_t doubt, uint8_t *dst, struct doubts *doubts,
                    int64_t x, int64_t n)
{
    ints estimates[2 * PAIRS], pixels[2 * PAIRS];

    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        estimates[i] = to_ints(sums[i]);
        pixels[i] = estimates[i] >> FRACTION_BITS;
    }
    bytes_store(dst + x, pixels);
    if (__builtin_expect(any_zero(estimates, doubt), 0))
        list_doubts(estimates, doubt, doubts, x, n);
}

/* The sums of a block as filter_grey makes them, from the samples; src[halo] is the first sum's
 * own.
 */
INLINED void sum_samples(const uint8_t *src, const struct smooth_u8_weights *weights, int64_t halo,
                         float *sums)
{
    const int16_t *taps = weights->row[0];

    UNROLLED
    for (int i = 0; i < PAIRS; i++) {
        ints even = {0}, odd = {0};

        UNROLLED
        for (int64_t j = 0; j <= halo; j++) {
            const words samples = words_widened(src + i * WORDS + 2 * j);

            even = madd(even, samples, words_pair(taps + 2 * j + 1));
            odd = madd(odd, samples, words_pair(taps + 2 * j));
        }
        floats_store(sums + i * WORDS, to_floats(ints_low(even, odd)));
        floats_store(sums + i * WORDS + INTS, to_floats(ints_high(even, odd)));
    }
}

/* A block of two rows of estimates, from the outside in. Going in by one tap, the upper sample of
 * the first row is what the second row has had as its upper one, and the lower sample of the second
 * row what the first has had: two rows read no more than one. */
INLINED void sum_rows(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                      int64_t x, floats sums[2][2 * PAIRS])
{
    floats above[2 * PAIRS], below[2 * PAIRS];

    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        above[i] = floats_load(rows[0] + x + i * INTS);
        below[i] = floats_load(rows[2 * halo + 1] + x + i * INTS);
        sums[0][i] = sums[1][i] = (floats){0} + weights->start;
    }
    UNROLLED
    for (int64_t k = halo; k > 0; k--) {
        const float *inner_above = rows[halo + 1 - k] + x, *inner_below = rows[halo + k] + x;

        UNROLLED
        for (int i = 0; i < 2 * PAIRS; i++) {
            const floats next_above = floats_load(inner_above + i * INTS);
            const floats next_below = floats_load(inner_below + i * INTS);

            sums[0][i] += weights->column[k] * (above[i] + next_below);
            sums[1][i] += weights->column[k] * (next_above + below[i]);
            above[i] = next_above;
            below[i] = next_below;
        }
    }
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        sums[0][i] += weights->column[0] * above[i];
        sums[1][i] += weights->column[0] * below[i];
    }
}

INLINED void fetch(const struct fetches *ahead, int64_t x)
{
    UNROLLED
    for (int i = 0; i < 2; i++) {
        __builtin_prefetch((const char *)ahead->read[i] + x, 0, 3);
        __builtin_prefetch((const char *)ahead->written[i] + x, 1, 3);
    }
}

/* Two rows of pixels; if there is a source, its two rows are filtered first, a block ahead. */
INLINED void filter_two_rows(const uint8_t *const *src, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t halo,
                             uint8_t *const *dst, struct doubts *doubts, int64_t n,
                             const struct fetches *ahead)
{
    const int32_t doubt = weights->doubt;
    uint8_t *const upper = dst[0], *const lower = dst[1];

    for (int64_t x = 0; x < n; x += PAIRS * WORDS) {
        floats sums[2][2 * PAIRS];

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        for (int row = 0; src && row < 2; row++)
            sum_samples(src[row] + x, weights, halo, rows[2 * halo + row] + x);
        sum_rows(rows, weights, halo, x, sums);
        finish(sums[0], doubt, upper, &doubts[0], x, n);
        finish(sums[1], doubt, lower, &doubts[1], x, n);
    }
}

/* With few taps, all of them are unrolled. */
static void filter_rows(float *const *rows, const struct smooth_u8_weights *weights,
                        uint8_t *const *dst, struct doubts *doubts, int64_t n,
                        const struct fetches *ahead)
{
    switch (weights->halo) {
    case 1:
        filter_two_rows(NULL, rows, weights, 1, dst, doubts, n, ahead);
        break;
    case 2:
        filter_two_rows(NULL, rows, weights, 2, dst, doubts, n, ahead);
        break;
    case 3:
        filter_two_rows(NULL, rows, weights, 3, dst, doubts, n, ahead);
        break;
    case 4:
        filter_two_rows(NULL, rows, weights, 4, dst, doubts, n, ahead);
        break;
    default:
        filter_two_rows(NULL, rows, weights, weights->halo, dst, doubts, n, ahead);
    }
}

static void filter_fused(const uint8_t *const *src, float *const *rows,
                         const struct smooth_u8_weights *weights, uint8_t *const *dst,
                         struct doubts *doubts, int64_t n, const struct fetches *ahead)
{
    switch (weights->halo) {
    case 1:
        filter_two_rows(src, rows, weights, 1, dst, doubts, n, ahead);
        break;
    case 2:
        filter_two_rows(src, rows, weights, 2, dst, doubts, n, ahead);
        break;
    case 3:
        filter_two_rows(src, rows, weights, 3, dst, doubts, n, ahead);
        break;
    default:
        filter_two_rows(src, rows, weights, 4, dst, doubts, n, ahead);
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
    const int64_t halo = weights->halo, n = 2 * weights->reach + 1;
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

extern const struct smooth_u8_loops AT_LEVEL(smooth_u8_loops);
const struct smooth_u8_loops AT_LEVEL(smooth_u8_loops) = {
    .widen = widen,
    .filter_line = filter_line,
    .filter_rows = filter_rows,
    .filter_fused = filter_fused,
    .filter_sample = FILTER_SAMPLE,
};
