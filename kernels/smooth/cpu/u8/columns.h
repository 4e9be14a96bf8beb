/* SPDX-License-Identifier: MIT */
/* The second pass, down the rows: estimates, their test, and pixels. Only for u8/loops.c. */
#ifndef SMOOTHIMG_SMOOTH_U8_COLUMNS_H
#define SMOOTHIMG_SMOOTH_U8_COLUMNS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/rows.h"

#define CACHE_LINE 64 /* bytes */

/* Puts the places of a block's small fractions on the list. Apart, because it is rare. */
static __attribute__((noinline)) void list_unresolved(words fractions, uint16_t limit, bool grey,
                                                      struct unresolved *unresolved, int64_t x,
                                                      int64_t n)
{
    for (uint32_t bits = small_lanes(fractions, limit); bits; bits &= bits - 1) {
        const int lane = __builtin_ctz(bits);
        const int64_t place = x + (grey ? lane : lane_place(lane % 2, lane / 2));

        if (place < n)
            unresolved->places[unresolved->count++] = (int32_t)place;
    }
}

/* A block's estimates of one row: their upper words, in the samples' order, and their lower ones.
 */
INLINED void take_apart(const floats *sums, bool grey, words *pixels, words *fractions)
{
    const ints first = to_ints(sums[0]), second = to_ints(sums[1]);

    *pixels = grey ? words_joined(first >> FRACTION_BITS, second)
                   : words_packed(first >> FRACTION_BITS, second >> FRACTION_BITS);
    *fractions = words_joined(first, second << FRACTION_BITS);
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

/* Two rows of pixels; if there is a source, its two rows are filtered too, a block ahead, so that
 * neither pass waits for results of the other. halo: down the columns; with a source, along the
 * rows too. grey: see weights.h. */
INLINED void filter_two_rows(const uint8_t *const *src, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t halo, bool grey,
                             uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                             const struct fetches *ahead)
{
    const uint16_t limit = weights->unresolved_limit;
    uint8_t *const rows_of_pixels[2] = {dst[0], dst[1]};

    for (int row = 0; src && row < 2; row++)
        sum_samples(src[row], weights, halo, rows[2 * halo + row]);
    for (int64_t x = 0; x < n; x += PAIRS * WORDS) {
        const int64_t next = x + PAIRS * WORDS;
        floats sums[2][2 * PAIRS];

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        for (int row = 0; src && next < n && row < 2; row++)
            sum_samples(src[row] + next, weights, halo, rows[2 * halo + row] + next);
        sum_rows(rows, weights, halo, x, sums);
        finish(sums, limit, grey, rows_of_pixels, unresolved, x, n);
    }
}

#endif
