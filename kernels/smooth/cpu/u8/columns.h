/* SPDX-License-Identifier: MIT */
/* The second pass, down the rows: estimates, their test, and pixels. Only for u8/loops.c. */
#ifndef SMOOTHIMG_SMOOTH_U8_COLUMNS_H
#define SMOOTHIMG_SMOOTH_U8_COLUMNS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/rows.h"

/* Puts the places of a block's small fractions on the list. Apart, because it is rare. */
static __attribute__((noinline)) void list_unresolved(words fractions, uint16_t limit, bool grey,
                                                      struct unresolved *unresolved, int64_t x,
                                                      int64_t n)
{
    for (uint32_t bits = small_lanes(fractions, limit); bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const int64_t place = x + fraction_place(lane, grey);

        if (place < n)
            unresolved->places[unresolved->count++] = (int32_t)place;
    }
}

/* Estimates of two rows to pixels. */
INLINED void finish(floats sums[2][2 * PAIRS], uint16_t limit, bool grey, uint8_t *const *dst,
                    struct unresolved *unresolved, int64_t x, int64_t n)
{
    words fractions[2][PAIRS], least;

    UNROLLED
    for (int i = 0; i < PAIRS; i++) {
        words pixels[2];

        UNROLLED
        for (int row = 0; row < 2; row++) {
            take_apart(sums[row] + 2 * i, grey, &pixels[row], &fractions[row][i]);
            least = i || row ? words_min(least, fractions[row][i]) : fractions[0][0];
        }
        bytes_store(dst[0] + x + i * WORDS, dst[1] + x + i * WORDS, pixels[0], pixels[1]);
    }
    if (__builtin_expect(any_small(least, limit), 0))
        for (int i = 0; i < 2 * PAIRS; i++)
            list_unresolved(fractions[i % 2][i / 2], limit, grey, &unresolved[i % 2],
                            x + i / 2 * WORDS, n);
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
        sums[0][i] = sums[1][i] = (floats){0} + weights->start;
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

/* Two rows of pixels; if there is a source, its two rows are filtered too, a block ahead, so that
 * neither pass waits for results of the other. halo: down the columns; with a source, along the
 * rows too. step: to the next sample of a channel, 1 if grey. grey: see weights.h. */
INLINED void filter_two_rows(const uint8_t *const *src, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t halo, int64_t step,
                             bool grey, uint8_t *const *dst, struct unresolved *unresolved,
                             int64_t n, const struct fetches *ahead)
{
    const uint16_t limit = weights->unresolved_limit;
    const struct row_taps taps = src ? row_taps(weights, halo) : (struct row_taps){0};
    uint8_t *const rows_of_pixels[2] = {dst[0], dst[1]};

    for (int row = 0; src && row < 2; row++)
        sum_samples(src[row], &taps, halo, step, rows[2 * halo + row]);
    for (int64_t x = 0; x < n; x += PAIRS * WORDS) {
        const int64_t next = x + PAIRS * WORDS;
        floats sums[2][2 * PAIRS];

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        for (int row = 0; src && next < n && row < 2; row++)
            sum_samples(src[row] + next, &taps, halo, step, rows[2 * halo + row] + next);
        sum_rows(rows, weights, halo, x, sums);
        finish(sums, limit, grey, rows_of_pixels, unresolved, x, n);
    }
}

#endif
