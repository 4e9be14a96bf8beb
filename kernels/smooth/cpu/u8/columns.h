/* SPDX-License-Identifier: MIT */
/* The second pass: estimates the sums down the columns, tests them, and stores pixels.
 *
 * An estimate is an integer. Its fraction is its lowest FRACTION_BITS bits, and its pixel the bits
 * above these. A sample is unresolved if the estimate's error bound does not prove its rounding;
 * the fraction shows whether it does (weights.h). `grey` means one channel and weights of one
 * digit. */
#ifndef SMOOTHIMG_SMOOTH_U8_COLUMNS_H
#define SMOOTHIMG_SMOOTH_U8_COLUMNS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/rows.h"

#define COLUMN floats
#define COLUMN_REAL float
#define COLUMN_VECTORS (2 * PAIRS)
#define COLUMN_AT floats_load
#define COLUMN_PLUS(SUM, TAP, NUMBERS) ((SUM) + (TAP) * (NUMBERS))
#define COLUMN_HELD HELD
#include "kernels/smooth/cpu/vectors/columns.h"

/* Lists the unresolved samples of a vector: those whose fraction is at most `limit`. `half` says
 * which half of the block the vector holds. Not inlined, since it is rarely called. */
static __attribute__((noinline)) void list_unresolved(words fractions, uint16_t limit, bool grey,
                                                      int half, struct unresolved *unresolved,
                                                      int64_t x, int64_t n)
{
    for (uint32_t bits = small_lanes(fractions, limit); bits; bits &= bits - 1) {
        const int word = fraction_place(__builtin_ctz(bits) / LANE_BITS, grey);
        const int64_t place = x + bytes_place(half, word);

        if (place < n)
            unresolved->places[unresolved->count++] = (int32_t)place;
    }
}

/* Computes one half of a block: WORDS samples of two rows. If there are registers for all sums of a
 * block (PAIRS is 2), computes both halves together. */
INLINED void filter_half(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                         bool grey, uint16_t limit, int half, words pixels[2][2],
                         struct unresolved *unresolved, int64_t x, int64_t n)
{
    floats sums[2][2 * PAIRS];
    words fractions[2][PAIRS], least;

    sum_rows(rows, weights->column, halo, weights->start, x + half * WORDS, sums);
    UNROLLED
    for (int i = 0; i < 2 * PAIRS; i++) {
        take_apart(sums[i % 2] + i / 2 * 2, grey, &pixels[i % 2][half + i / 2],
                   &fractions[i % 2][i / 2]);
        least = i ? words_min(least, fractions[i % 2][i / 2]) : fractions[0][0];
    }
    if (__builtin_expect(any_small(least, limit), 0))
        for (int i = 0; i < 2 * PAIRS; i++)
            list_unresolved(fractions[i % 2][i / 2], limit, grey, half + i / 2, &unresolved[i % 2],
                            x, n);
}

/* Computes a block of 2 WORDS samples of two rows. If there are too few registers for all its sums,
 * it computes one half and then the other. A block that reaches beyond n is written to `spare`. */
INLINED void filter_block(float *const *rows, const struct smooth_u8_weights *weights, int64_t halo,
                          bool grey, uint16_t limit, uint8_t *const *dst,
                          uint8_t spare[2][2 * WORDS], struct unresolved *unresolved, int64_t x,
                          int64_t n)
{
    words pixels[2][2];

    filter_half(rows, weights, halo, grey, limit, 0, pixels, unresolved, x, n);
    if (PAIRS == 1) {
        if (halo > 2)
            RELOADED();
        filter_half(rows, weights, halo, grey, limit, 1, pixels, unresolved, x, n);
    }
    UNROLLED
    for (int row = 0; row < 2; row++)
        bytes_store(x + 2 * WORDS <= n ? dst[row] + x : spare[row], pixels[row][0], pixels[row][1]);
}

/* Computes two rows of n pixels from rows of sums. If `source` is not NULL, it first computes the
 * last two of these rows from the source, one block ahead, so that neither pass waits for results
 * of the other. `halo` is the halo down the columns; if `source` is not NULL, the halo along the
 * rows is the same. `step` is the distance to the channel's next sample, 1 for grey. */
INLINED void filter_two_rows(int64_t halo, const struct source_rows *source, float *const *rows,
                             const struct smooth_u8_weights *weights, int64_t step, bool grey,
                             uint8_t *const *dst, struct unresolved *unresolved, int64_t n,
                             const struct fetches *ahead)
{
    const struct row_taps taps = source ? row_taps(weights, halo) : (struct row_taps){0};
    const uint16_t limit = weights->unresolved_limit;
    uint8_t *const rows_of_pixels[2] = {dst[0], dst[1]};
    const int64_t rest = n % (2 * WORDS);
    uint8_t spare[2][2 * WORDS];

    if (source)
        sum_source(source, 2, 1, 0, &taps, halo, step, rows + 2 * halo);
    for (int64_t x = 0; x < n; x += 2 * WORDS) {
        const int64_t next = x + 2 * WORDS;

        if (x % CACHE_LINE == 0)
            fetch(ahead, x);
        if (source && next < n)
            sum_source(source, 2, 1, next, &taps, halo, step, rows + 2 * halo);
        filter_block(rows, weights, halo, grey, limit, rows_of_pixels, spare, unresolved, x, n);
    }
    for (int row = 0; row < 2 && rest > 0; row++)
        memcpy(dst[row] + n - rest, spare[row], (size_t)rest);
}

#endif
