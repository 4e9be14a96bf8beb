/* SPDX-License-Identifier: MIT */
/* The first pass over 8-bit samples, along the rows: sums of products with integer weights. Only
 * for u8/loops.c. Sums of a block of samples stay in registers while the taps go by, so each
 * loop comes with the block's size as a constant, and the compiler unrolls it. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_H

#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/vectors.h"

/* Stores the sums of one digit or two, of the block's two vectors of samples. */
INLINED void store_sums(float *to, const ints *one, const ints *two, int digits)
{
    floats first = to_floats(one[0]), second = to_floats(two[0]);

    if (digits == 2) {
        first = first * (float)(1 << DIGIT_BITS) + to_floats(one[1]);
        second = second * (float)(1 << DIGIT_BITS) + to_floats(two[1]);
    }
    floats_store(to, first);
    floats_store(to + INTS, second);
}

/* One channel, one digit. A vector of words from an odd or even place has, as neighbours, pairs of
 * samples; times pairs of taps they are two taps' worth of the sums of every second sample. The
 * same vector serves the samples in between, with the taps moved on by one. */
INLINED void filter_grey(const int16_t *line, const struct smooth_u8_weights *weights, int groups,
                         float *sums, int64_t n)
{
    const int64_t halo = weights->halo_x;

    for (int64_t x = 0; x < n; x += groups * WORDS) {
        ints even[4] = {0}, odd[4] = {0};

        for (int64_t j = 0; j <= halo; j++) {
            const int16_t *taps = weights->row[0] + 2 * j;
            const words even_taps = words_pair(taps + 1), odd_taps = words_pair(taps);

            UNROLLED
            for (int i = 0; i < groups; i++) {
                const words samples = words_load(line + x + i * WORDS + 2 * j - halo);

                even[i] = madd(even[i], samples, even_taps);
                odd[i] = madd(odd[i], samples, odd_taps);
            }
        }
        UNROLLED
        for (int i = 0; i < groups; i++)
            store_sums(sums + x + i * WORDS, &even[i], &odd[i], 1);
    }
}

/* The samples at distance k on both sides of the centre, added up. */
INLINED words folded(const int16_t *centre, int64_t k, int64_t step)
{
    return k ? words_load(centre - k * step) + words_load(centre + k * step) : words_load(centre);
}

/* Any number of channels: neighbours of a channel are `step` apart, and pairs are made of the
 * folded samples at two distances. With two digits this is the shorter way for
 * one channel too: 12 instructions for 4 taps of a vector (2 to fold, 2 to interleave, 8 to
 * multiply and add) where filter_grey would take 16. */
INLINED void filter_channels(const int16_t *line, const struct smooth_u8_weights *weights,
                             int64_t step, int digits, int groups, float *sums, int64_t n)
{
    const int64_t halo = weights->halo_x;

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
        store_sums(sums + i * WORDS, &even, &odd, 1);
    }
}

#endif
