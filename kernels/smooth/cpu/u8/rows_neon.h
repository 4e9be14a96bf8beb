/* SPDX-License-Identifier: MIT */
/* The first pass in NEON: samples on both sides of the centre are added, and their products with a
 * weight are added to sums that are twice as wide. All sums are in the samples' order. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_NEON_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_NEON_H

#define GROUPS 4 /* vectors of words whose sums are in registers at a time */

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

/* Adds the products of words with a weight to the sums of the first half and of the last half. */
INLINED void add_products(ints *first, ints *last, words samples, int16_t weight)
{
    *first = madd_first(*first, samples, weight);
    *last = madd_last(*last, samples, weight);
}

/* The sums of a group, by digit. */
struct group {
    ints first[2], last[2];
};

/* weight: an index into weights->row[digit] */
INLINED void add_to_group(struct group *group, words samples,
                          const struct smooth_u8_weights *weights, int64_t weight)
{
    UNROLLED
    for (int digit = 0; digit < 2; digit++)
        add_products(&group->first[digit], &group->last[digit], samples,
                     weights->row[digit][weight]);
}

static void filter_line(const int16_t *line, const struct smooth_u8_weights *weights, int64_t step,
                        float *sums, int64_t n)
{
    const int64_t halo = weights->halo_x;

    for (int64_t x = 0; x < n; x += GROUPS * WORDS) {
        struct group groups[GROUPS] = {0};

        UNROLLED
        for (int i = 0; i < GROUPS; i++)
            add_to_group(&groups[i], words_load(line + x + i * WORDS), weights, halo + 1);
        for (int64_t k = 1; k <= halo; k++) {
            const int16_t *before = line + x - k * step, *after = line + x + k * step;

            UNROLLED
            for (int i = 0; i < GROUPS; i++)
                add_to_group(&groups[i],
                             words_load(before + i * WORDS) + words_load(after + i * WORDS),
                             weights, halo + 1 + k);
        }
        UNROLLED
        for (int i = 0; i < GROUPS; i++)
            store_sums(sums + x + i * WORDS, groups[i].first, groups[i].last, 2);
    }
}

/* A copy of the weights that no store to pixels can change, so that they stay in registers. */
struct row_taps {
    int16_t weights[U8_ONE_DIGIT_HALO + 1]; /* from the centre outwards */
};

INLINED struct row_taps row_taps(const struct smooth_u8_weights *weights, int64_t halo)
{
    struct row_taps taps = {0};

    UNROLLED
    for (int64_t k = 0; k <= halo; k++)
        taps.weights[k] = weights->row[0][halo + 1 + k];
    return taps;
}

INLINED void sum_row(const uint8_t *centre, const struct row_taps *taps, int64_t halo, int64_t step,
                     float *sums)
{
    const uint8x16_t own = vld1q_u8(centre);
    ints all[4] = {0};

    _Static_assert(PAIRS == 2, "a block is 16 bytes");
    add_products(&all[0], &all[1], (words)vmovl_u8(vget_low_u8(own)), taps->weights[0]);
    add_products(&all[2], &all[3], (words)vmovl_high_u8(own), taps->weights[0]);
    UNROLLED
    for (int64_t k = 1; k <= halo; k++) {
        const uint8x16_t before = vld1q_u8(centre - k * step), after = vld1q_u8(centre + k * step);
        const words low = (words)vaddl_u8(vget_low_u8(before), vget_low_u8(after));

        add_products(&all[0], &all[1], low, taps->weights[k]);
        add_products(&all[2], &all[3], (words)vaddl_high_u8(before, after), taps->weights[k]);
    }
    UNROLLED
    for (int i = 0; i < 4; i += 2)
        store_sums(sums + i * INTS, &all[i], &all[i + 1], 1);
}

INLINED void sum_samples(const uint8_t *const *src, int count, int64_t x,
                         const struct row_taps *taps, int64_t halo, int64_t step,
                         float *const *sums)
{
    UNROLLED
    for (int row = 0; row < count; row++)
        sum_row(src[row] + x + halo * step, taps, halo, step, sums[row] + x);
}

#endif
