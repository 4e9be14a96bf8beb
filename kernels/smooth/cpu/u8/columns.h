/* SPDX-License-Identifier: MIT */
/* The second pass, down the rows: estimates, their test, and pixels. Only for u8/loops.c. */
#ifndef SMOOTHIMG_SMOOTH_U8_COLUMNS_H
#define SMOOTHIMG_SMOOTH_U8_COLUMNS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/rows.h"

#define CACHE_LINE 64 /* bytes */

/* Puts the places of a row of estimates that fail the test on the list. */
static void list_unresolved(const ints *estimates, int32_t mask, struct unresolved *unresolved,
                            int64_t x, int64_t n)
{
    for (int i = 0; i < 2 * PAIRS; i++)
        for (uint32_t bits = zero_lanes(estimates[i], mask); bits; bits &= bits - 1) {
            const int64_t place = x + lane_place(i, __builtin_ctz(bits));

            if (place < n)
                unresolved->places[unresolved->count++] = (int32_t)place;
        }
}

/* Estimates to pixels. */
INLINED void finish(const floats *sums, int32_t mask, uint8_t *dst, struct unresolved *unresolved,
                    int64_t x, int64_t n)
{
    ints estimates[2 * PAIRS], pixels[2 * PAIRS];

    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        estimates[i] = to_ints(sums[i]);
        pixels[i] = estimates[i] >> FRACTION_BITS;
    }
    bytes_store(dst + x, pixels);
    if (__builtin_expect(any_zero(estimates, mask), 0))
        list_unresolved(estimates, mask, unresolved, x, n);
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

/* Two rows of pixels; if there is a source, its two rows are filtered first, a block ahead. halo:
 * down the columns; with a source, along the rows too. */
INLINED void filter_two_rows(const uint8_t *const *src, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t halo,
                             uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                             const struct fetches *ahead)
{
    const int32_t mask = weights->unresolved_mask;
    uint8_t *const upper = dst[0], *const lower = dst[1];

    for (int64_t x = 0; x < n; x += PAIRS * WORDS) {
        floats sums[2][2 * PAIRS];

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        for (int row = 0; src && row < 2; row++)
            sum_samples(src[row] + x, weights, halo, rows[2 * halo + row] + x);
        sum_rows(rows, weights, halo, x, sums);
        finish(sums[0], mask, upper, &unresolved[0], x, n);
        finish(sums[1], mask, lower, &unresolved[1], x, n);
    }
}

#endif
