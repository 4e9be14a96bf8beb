/* SPDX-License-Identifier: MIT */
/* The first pass, along the rows, for all instruction sets except NEON. madd() (vectors.h)
 * multiplies pairs of words and adds both products; on x86 this is one instruction. A weight has
 * one or two digits of 15 bits (weights.h). The samples in a vector of words give two vectors of
 * sums. For one channel and weights of one digit, the first vector has the sums of even samples,
 * the second the sums of odd samples; otherwise the sums are in the order of words_low and
 * words_high (vectors.h). loops.c says what each header for the first pass defines. */
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

/* The weights are read from memory where they are used, since there are too few registers to keep
 * them. */
struct row_taps {
    const struct smooth_u8_weights *weights;
};

INLINED struct row_taps row_taps(const struct smooth_u8_weights *weights, int64_t halo)
{
    (void)halo;
    return (struct row_taps){weights};
}

/* Sums along rows of one channel, with weights of one digit. madd() multiplies pairs of adjacent
 * samples by a pair of adjacent weights, and adds both products to a sum. These are two terms of
 * the sums at even indices. The same samples, times the weights one place earlier, give two terms
 * of the sums at odd indices. */
INLINED void sum_grey(const uint8_t *const *src, int count, int64_t x, const struct row_taps *taps,
                      int64_t halo, float *const *sums)
{
    ints even[2][2] = {0}, odd[2][2] = {0};

    UNROLLED
    for (int64_t j = 0; j <= halo; j++) {
        const words even_taps = words_pair(taps->weights->row[0] + 2 * j + 1);
        const words odd_taps = words_pair(taps->weights->row[0] + 2 * j);

        UNROLLED
        for (int row = 0; row < count; row++) {
            words samples[2];

            bytes_widened(src[row] + x + 2 * j, samples);
            UNROLLED
            for (int i = 0; i < 2; i++) {
                even[row][i] = madd(even[row][i], samples[i], even_taps);
                odd[row][i] = madd(odd[row][i], samples[i], odd_taps);
                HELD(even[row][i]);
                HELD(odd[row][i]);
            }
        }
    }
    UNROLLED
    for (int i = 0; i < 2 * count; i++)
        store_sums(sums[i / 2] + x + i % 2 * WORDS, &even[i / 2][i % 2], &odd[i / 2][i % 2], 1);
}

/* Sets `sums` to the sums of the two samples at distance k from each centre; if k is 0, to the
 * samples at the centres. */
INLINED void folded_bytes(const uint8_t *centre, int64_t k, int64_t step, words sums[2])
{
    if (k)
        bytes_added(centre - k * step, centre + k * step, sums);
    else
        bytes_widened(centre, sums);
}

/* Adds the products of the samples at distances k and k + 1 with their weights to `low` and `high`.
 * Their first index is the vector of samples, the last one the row or, with two digits, the
 * digit. */
INLINED void add_distances(const uint8_t *const *src, int count, int digits, int64_t x,
                           const struct row_taps *taps, int64_t halo, int64_t step, int64_t k,
                           ints low[2][2], ints high[2][2])
{
    UNROLLED
    for (int row = 0; row < count; row++) {
        const uint8_t *centre = src[row] + x + halo * step;
        words near[2], far[2];

        folded_bytes(centre, k, step, near);
        folded_bytes(centre, k < halo ? k + 1 : k, step, far); /* W(halo + 1) is 0 */
        UNROLLED
        for (int digit = 0; digit < digits; digit++) {
            const words pair = words_pair(taps->weights->row[digit] + halo + 1 + k);
            const int of = row + digit;

            UNROLLED
            for (int i = 0; i < 2; i++) {
                low[i][of] = madd(low[i][of], words_low(near[i], far[i]), pair);
                high[i][of] = madd(high[i][of], words_high(near[i], far[i]), pair);
                HELD(low[i][of]);
                HELD(high[i][of]);
            }
        }
    }
}

/* Sums along rows of several channels, or along one row with weights of two digits. It adds the two
 * samples at the same distance on both sides, and pairs the sums at two adjacent distances.
 * Neighbours within a channel are `step` apart. For one channel and two digits this takes fewer
 * instructions than the method of sum_grey(): for a vector of words, 4 taps take 14 instructions (4
 * to add both sides, 2 to interleave, 8 to multiply and add) instead of 16. */
INLINED void sum_channels(const uint8_t *const *src, int count, int digits, int64_t x,
                          const struct row_taps *taps, int64_t halo, int64_t step,
                          float *const *sums)
{
    ints low[2][2] = {0}, high[2][2] = {0};

    if (digits == 1) {
        UNROLLED
        for (int64_t k = 0; k <= halo; k += 2)
            add_distances(src, count, 1, x, taps, halo, step, k, low, high);
    } else {
        for (int64_t k = 0; k <= halo; k += 2)
            add_distances(src, 1, 2, x, taps, halo, step, k, low, high);
    }
    UNROLLED
    for (int i = 0; i < 2 * count; i++)
        store_sums(sums[i / 2] + x + i % 2 * WORDS, &low[i % 2][i / 2], &high[i % 2][i / 2],
                   digits);
}

INLINED void sum_samples(const uint8_t *const *src, int count, int digits, int64_t x,
                         const struct row_taps *taps, int64_t halo, int64_t step,
                         float *const *sums)
{
    if (step == 1 && digits == 1)
        sum_grey(src, count, x, taps, halo, sums);
    else
        sum_channels(src, count, digits, x, taps, halo, step, sums);
}

#endif
