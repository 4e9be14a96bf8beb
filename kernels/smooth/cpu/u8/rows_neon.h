/* SPDX-License-Identifier: MIT */
/* The first pass, along the rows, in NEON. The two samples at the same distance from the centre are
 * added, in 16 bits. The product of their sum and the weight is added to a sum of 32 bits. All sums
 * are in the order of the samples. A weight has one or two digits of 15 bits (weights.h). loops.c
 * says what each header for the first pass defines. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_NEON_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_NEON_H

INLINED void take_apart(const floats *sums, bool grey, words *pixels, words *fractions)
{
    const ints first = to_ints(sums[0]), second = to_ints(sums[1]);

    (void)grey;
    *pixels = words_upper(first, second);
    *fractions = words_lower(first, second);
}

INLINED int fraction_place(int lane, bool grey)
{
    (void)grey;
    return lane;
}

/* Adds the products of `weight` and the first half of `samples` to *first, and the products of
 * `weight` and the last half to *last. */
INLINED void add_products(ints *first, ints *last, words samples, int16_t weight)
{
    *first = madd_first(*first, samples, weight);
    *last = madd_last(*last, samples, weight);
}

/* The weights, as sum_samples() reads them. Weights of one digit are copied to `one`: the compiler
 * keeps the copy in registers, since no store to pixels can change it. Weights of two digits are
 * read from `two`. */
struct row_taps {
    int16_t one[U8_ONE_DIGIT_HALO + 1]; /* from the centre outwards */
    const struct smooth_u8_weights *two;
};

INLINED struct row_taps row_taps(const struct smooth_u8_weights *weights, int64_t halo)
{
    struct row_taps taps = {.two = weights};

    UNROLLED
    for (int64_t k = 0; k <= halo && k <= U8_ONE_DIGIT_HALO; k++)
        taps.one[k] = weights->row[0][halo + 1 + k];
    return taps;
}

/* Adds the products of two vectors of words with the weights at distance k to sums[i][digit]. i = 0
 * and 1 are the two halves of `low`, i = 2 and 3 the two halves of `high`. */
INLINED void add_distance(ints sums[4][2], words low, words high, const struct row_taps *taps,
                          int digits, int64_t halo, int64_t k)
{
    UNROLLED
    for (int digit = 0; digit < digits; digit++) {
        const int16_t weight = digits == 1 ? taps->one[k] : taps->two->row[digit][halo + 1 + k];

        add_products(&sums[0][digit], &sums[1][digit], low, weight);
        add_products(&sums[2][digit], &sums[3][digit], high, weight);
    }
}

INLINED void add_folded(ints sums[4][2], const uint8_t *centre, const struct row_taps *taps,
                        int digits, int64_t halo, int64_t step, int64_t k)
{
    const uint8x16_t before = vld1q_u8(centre - k * step), after = vld1q_u8(centre + k * step);
    const words low = (words)vaddl_u8(vget_low_u8(before), vget_low_u8(after));

    add_distance(sums, low, (words)vaddl_high_u8(before, after), taps, digits, halo, k);
}

INLINED void sum_row(const uint8_t *centre, const struct row_taps *taps, int digits, int64_t halo,
                     int64_t step, float *sums)
{
    const uint8x16_t own = vld1q_u8(centre);
    ints all[4][2] = {0};

    _Static_assert(PAIRS == 2, "a block is 16 bytes");
    add_distance(all, (words)vmovl_u8(vget_low_u8(own)), (words)vmovl_high_u8(own), taps, digits,
                 halo, 0);
    if (digits == 1) {
        UNROLLED
        for (int64_t k = 1; k <= halo; k++)
            add_folded(all, centre, taps, 1, halo, step, k);
    } else {
        for (int64_t k = 1; k <= halo; k++)
            add_folded(all, centre, taps, 2, halo, step, k);
    }
    UNROLLED
    for (int i = 0; i < 4; i += 2)
        store_sums(sums + i * INTS, all[i], all[i + 1], digits);
}

INLINED void sum_samples(const uint8_t *const *src, int count, int digits, int64_t x,
                         const struct row_taps *taps, int64_t halo, int64_t step,
                         float *const *sums)
{
    UNROLLED
    for (int row = 0; row < count; row++)
        sum_row(src[row] + x + halo * step, taps, digits, halo, step, sums[row] + x);
}

#endif
