/* SPDX-License-Identifier: MIT */
/* The first pass where one instruction adds the products of pairs of words. Of one channel and one
 * digit, a block of sums has the even samples and then the odd ones, else the order of words_low
 * and words_high. Only for u8/rows.h. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_PAIRS_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_PAIRS_H

INLINED void take_apart(const floats *sums, bool grey, words *pixels, words *fractions)
{
    const ints first = to_ints(sums[0]), second = to_ints(sums[1]);

    *pixels = grey ? words_joined(first >> FRACTION_BITS, second)
                   : words_packed(first >> FRACTION_BITS, second >> FRACTION_BITS);
    *fractions = words_joined(first, second << FRACTION_BITS);
}

INLINED int fraction_place(int lane, bool grey)
{
    return grey ? lane : (int)lane_place(lane % 2, lane / 2);
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

#define GROUPS (U8_BLOCK / WORDS < 4 ? U8_BLOCK / WORDS : 4)

static void filter_line(const int16_t *line, const struct smooth_u8_weights *weights, int64_t step,
                        float *sums, int64_t n)
{
    if (step == 1 && weights->digits == 1)
        filter_grey(line, weights, GROUPS, sums, n);
    else if (step == 1)
        filter_channels(line, weights, 1, 2, GROUPS / 2, sums, n);
    else if (weights->digits == 1)
        filter_channels(line, weights, step, 1, GROUPS, sums, n);
    else
        filter_channels(line, weights, step, 2, GROUPS / 2, sums, n);
}

/* Read from memory wherever they are used: there are no registers for them. */
struct row_taps {
    const int16_t *weights; /* W(-halo-1), ... */
};

INLINED struct row_taps row_taps(const struct smooth_u8_weights *weights, int64_t halo)
{
    (void)halo;
    return (struct row_taps){weights->row[0]};
}

/* Of one channel, as filter_grey. */
INLINED void sum_grey(const uint8_t *src, const struct row_taps *taps, int64_t halo, float *sums)
{
    UNROLLED
    for (int i = 0; i < PAIRS; i++) {
        ints even = {0}, odd = {0};

        UNROLLED
        for (int64_t j = 0; j <= halo; j++) {
            const words samples = words_widened(src + i * WORDS + 2 * j);

            even = madd(even, samples, words_pair(taps->weights + 2 * j + 1));
            odd = madd(odd, samples, words_pair(taps->weights + 2 * j));
        }
        store_sums(sums + i * WORDS, &even, &odd, 1);
    }
}

/* The samples at distance k on both sides of the centre, added up. */
INLINED words folded_bytes(const uint8_t *centre, int64_t k, int64_t step)
{
    return k ? words_widened(centre - k * step) + words_widened(centre + k * step)
             : words_widened(centre);
}

/* Of several channels, as filter_channels. */
INLINED void sum_channels(const uint8_t *src, const struct row_taps *taps, int64_t halo,
                          int64_t step, float *sums)
{
    UNROLLED
    for (int i = 0; i < PAIRS; i++) {
        const uint8_t *centre = src + halo * step + i * WORDS;
        ints low = {0}, high = {0};

        UNROLLED
        for (int64_t k = 0; k <= halo; k += 2) {
            const words near = folded_bytes(centre, k, step);
            const words far = k < halo ? folded_bytes(centre, k + 1, step) : near; /* times 0 */
            const words pair = words_pair(taps->weights + halo + 1 + k);

            low = madd(low, words_low(near, far), pair);
            high = madd(high, words_high(near, far), pair);
        }
        store_sums(sums + i * WORDS, &low, &high, 1);
    }
}

INLINED void sum_samples(const uint8_t *src, const struct row_taps *taps, int64_t halo,
                         int64_t step, float *sums)
{
    if (step == 1)
        sum_grey(src, taps, halo, sums);
    else
        sum_channels(src, taps, halo, step, sums);
}

#endif
