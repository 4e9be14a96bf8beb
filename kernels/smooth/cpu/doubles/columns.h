/* SPDX-License-Identifier: MIT */
/* The pass down the columns in doubles. Only for files that have included vectors/reals.h for
 * doubles. */
#ifndef SMOOTHIMG_SMOOTH_DOUBLES_COLUMNS_H
#define SMOOTHIMG_SMOOTH_DOUBLES_COLUMNS_H

#define COLUMN_VECTORS (VECTOR_REGISTERS == 32 ? 4 : 2) /* of each of two rows at a time */

/* As in u8/columns.h: from the outside in, each row is read once for both sums, by turns in two
 * sets of registers. */
struct edges {
    vector above[COLUMN_VECTORS], below[COLUMN_VECTORS];
};

INLINED void add_tap(const double *inner_above, const double *inner_below, double tap,
                     vector sums[2][COLUMN_VECTORS], const struct edges *from, struct edges *to)
{
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        to->above[i] = at(inner_above + WIDTH * i);
        to->below[i] = at(inner_below + WIDTH * i);
        sums[0][i] += tap * (from->above[i] + to->below[i]);
        sums[1][i] += tap * (to->above[i] + from->below[i]);
    }
}

/* A block of two rows of sums. start: 1/2 and the bound. */
INLINED void sum_rows(double *const *rows, const double *restrict taps, int64_t halo, double start,
                      int64_t x, vector sums[2][COLUMN_VECTORS])
{
    struct edges even, odd;
    int64_t k = halo;

    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        even.above[i] = at(rows[0] + x + WIDTH * i);
        even.below[i] = at(rows[2 * halo + 1] + x + WIDTH * i);
        sums[0][i] = sums[1][i] = (vector){0} + start;
    }
    if (k % 2 == 1) {
        add_tap(rows[halo + 1 - k] + x, rows[halo + k] + x, taps[k], sums, &even, &odd);
        even = odd;
        k--;
    }
    UNROLLED_TWICE
    for (; k > 0; k -= 2) {
        add_tap(rows[halo + 1 - k] + x, rows[halo + k] + x, taps[k], sums, &even, &odd);
        add_tap(rows[halo + 2 - k] + x, rows[halo + k - 1] + x, taps[k - 1], sums, &odd, &even);
    }
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        sums[0][i] += taps[0] * even.above[i];
        sums[1][i] += taps[0] * even.below[i];
    }
}

#endif
