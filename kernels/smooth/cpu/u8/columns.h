/* SPDX-License-Identifier: MIT */
/* The second pass, down the rows: estimates, their test, and pixels. Only for u8/loops.c. */
#ifndef SMOOTHIMG_SMOOTH_U8_COLUMNS_H
#define SMOOTHIMG_SMOOTH_U8_COLUMNS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/rows.h"

/* The order of the sums of a block; a constant in each loop. */
struct order {
    bool bytes; /* as bytes_widened has them: one digit; else in the order of the samples */
    bool grey;  /* even samples of a vector, then odd ones: see weights.h */
};

/* Puts the places of a vector's small fractions on the list. half: see filter_block. Apart, because
 * it is rare. */
static __attribute__((noinline)) void list_unresolved(words fractions, uint16_t limit,
                                                      struct order order, int half,
                                                      struct unresolved *unresolved, int64_t x,
                                                      int64_t n)
{
    for (uint32_t bits = small_lanes(fractions, limit); bits; bits &= bits - 1) {
        const int word = fraction_place(__builtin_ctz(bits), order.grey);
        const int64_t place = x + (order.bytes ? bytes_place(half, word) : half * WORDS + word);

        if (place < n)
            unresolved->places[unresolved->count++] = (int32_t)place;
    }
}

/* Samples of a block's columns: the uppermost of the first row, the lowest of the second. */
struct edges {
    floats above[2 * PAIRS], below[2 * PAIRS];
};

/* Goes in by one tap: what is at distance k of either row from its centre is added to its sums. */
INLINED void add_tap(const float *inner_above, const float *inner_below, float weight,
                     floats sums[2][2 * PAIRS], const struct edges *from, struct edges *to)
{
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        to->above[i] = floats_load(inner_above + i * INTS);
        to->below[i] = floats_load(inner_below + i * INTS);
        sums[0][i] += weight * (from->above[i] + to->below[i]);
        sums[1][i] += weight * (to->above[i] + from->below[i]);
        HELD(sums[0][i]);
        HELD(sums[1][i]);
    }
}

/* A block of two rows of estimates, from the outside in. Going in by one tap, the upper sample of
 * the first row is what the second row has had as its upper one, and the lower sample of the second
 * row what the first has had: two rows read no more than one. By turns in two sets of registers,
 * because compilers would copy one to the other. */
INLINED void sum_rows(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                      int64_t x, floats sums[2][2 * PAIRS])
{
    struct edges even, odd;
    int64_t k = halo;

    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        even.above[i] = floats_load(rows[0] + x + i * INTS);
        even.below[i] = floats_load(rows[2 * halo + 1] + x + i * INTS);
        sums[0][i] = sums[1][i] = weights->start - (floats){0}; /* + 0 takes an instruction */
    }
    if (k % 2 == 1) {
        add_tap(rows[halo + 1 - k] + x, rows[halo + k] + x, weights->column[k], sums, &even, &odd);
        even = odd;
        k--;
    }
    UNROLLED_TWICE
    for (; k > 0; k -= 2) {
        add_tap(rows[halo + 1 - k] + x, rows[halo + k] + x, weights->column[k], sums, &even, &odd);
        add_tap(rows[halo + 2 - k] + x, rows[halo + k - 1] + x, weights->column[k - 1], sums, &odd,
                &even);
    }
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        sums[0][i] += weights->column[0] * even.above[i];
        sums[1][i] += weights->column[0] * even.below[i];
    }
}

/* One half of a block, WORDS samples of two rows; with PAIRS 2, both halves at once. */
INLINED void filter_half(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                         struct order order, uint16_t limit, int half, words pixels[2][2],
                         struct unresolved *unresolved, int64_t x, int64_t n)
{
    floats sums[2][2 * PAIRS];
    words fractions[2][PAIRS], least;

    sum_rows(rows, weights, halo, x + half * WORDS, sums);
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        take_apart(sums[i % 2] + i / 2 * 2, order.grey, &pixels[i % 2][half + i / 2],
                   &fractions[i % 2][i / 2]);
        least = i ? words_min(least, fractions[i % 2][i / 2]) : fractions[0][0];
    }
    if (__builtin_expect(any_small(least, limit), 0))
        for (int i = 0; i < 2 * PAIRS; i++)
            list_unresolved(fractions[i % 2][i / 2], limit, order, half + i / 2, &unresolved[i % 2],
                            x, n);
}

/* A block of 2 WORDS samples of two rows of pixels, as many at a time as there are registers for
 * their sums: all, or one half and then the other. A block beyond n is written to `spare`. */
INLINED void filter_block(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                          struct order order, uint16_t limit, uint8_t *const *dst,
                          uint8_t spare[2][2 * WORDS], struct unresolved *unresolved, int64_t x,
                          int64_t n)
{
    words pixels[2][2];

    filter_half(rows, weights, halo, order, limit, 0, pixels, unresolved, x, n);
    if (PAIRS == 1) {
        if (halo > 2)
            RELOADED();
        filter_half(rows, weights, halo, order, limit, 1, pixels, unresolved, x, n);
    }
    UNROLLED
    for (int row = 0; row < 2; row++)
        bytes_store(x + 2 * WORDS <= n ? dst[row] + x : spare[row], pixels[row][0], pixels[row][1],
                    !order.bytes);
}

/* Two rows of pixels first..last-1; if there is a source, its two rows are filtered too, a block
 * ahead, so that neither pass waits for results of the other. halo: down the columns; with a
 * source, along the rows too. step: to the next sample of a channel, 1 if grey. */
INLINED void filter_two_rows(const uint8_t *const *src, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t halo, int64_t step,
                             struct order order, uint8_t *const *dst, struct unresolved *unresolved,
                             int64_t first, int64_t last, const struct fetches *ahead)
{
    const struct row_taps taps = src ? row_taps(weights, halo) : (struct row_taps){0};
    const uint16_t limit = weights->unresolved_limit;
    uint8_t *const rows_of_pixels[2] = {dst[0], dst[1]};
    const int64_t rest = last % (2 * WORDS);
    uint8_t spare[2][2 * WORDS];

    if (src)
        sum_samples(src, 2, first, &taps, halo, step, rows + 2 * halo);
    for (int64_t x = first; x < last; x += 2 * WORDS) {
        const int64_t next = x + 2 * WORDS;

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        if (src && next < last)
            sum_samples(src, 2, next, &taps, halo, step, rows + 2 * halo);
        filter_block(rows, weights, halo, order, limit, rows_of_pixels, spare, unresolved, x, last);
    }
    for (int row = 0; row < 2 && rest > 0; row++)
        memcpy(dst[row] + last - rest, spare[row], (size_t)rest);
}

#endif
