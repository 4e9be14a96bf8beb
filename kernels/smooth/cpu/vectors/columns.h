/* SPDX-License-Identifier: MIT */
/* The pass down the columns: sums for two rows of a result at a time. A file that includes this one
 * first defines these macros:
 *
 *     COLUMN, COLUMN_REAL   the type of a vector, and the type of its numbers
 *     COLUMN_VECTORS        how many vectors of each row's sums are in registers at a time
 *     COLUMN_AT(FROM)       loads the vector of type COLUMN at any address
 *     COLUMN_PLUS(SUM, TAP, NUMBERS)   SUM + TAP * NUMBERS
 *     COLUMN_HELD(SUM)      HELD(SUM) where compilers would otherwise copy sums between
 *                           registers (vectors.h), else nothing */
#ifndef SMOOTHIMG_SMOOTH_VECTORS_COLUMNS_H
#define SMOOTHIMG_SMOOTH_VECTORS_COLUMNS_H

#define COLUMN_WIDTH (VECTOR_BYTES / (int)sizeof(COLUMN_REAL))

/* The values that the current tap multiplies: for the first row of the result those above its
 * centre (`above`), and for the second row those below its centre (`below`). */
struct edges {
    COLUMN above[COLUMN_VECTORS], below[COLUMN_VECTORS];
};

/* Adds one tap's products to the sums of both rows, and loads into *to the values for the next tap
 * inwards. */
INLINED void add_tap(const COLUMN_REAL *inner_above, const COLUMN_REAL *inner_below,
                     COLUMN_REAL tap, COLUMN sums[2][COLUMN_VECTORS], const struct edges *from,
                     struct edges *to)
{
    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        to->above[i] = COLUMN_AT(inner_above + i * COLUMN_WIDTH);
        to->below[i] = COLUMN_AT(inner_below + i * COLUMN_WIDTH);
        sums[0][i] = COLUMN_PLUS(sums[0][i], tap, from->above[i] + to->below[i]);
        sums[1][i] = COLUMN_PLUS(sums[1][i], tap, to->above[i] + from->below[i]);
        COLUMN_HELD(sums[0][i]);
        COLUMN_HELD(sums[1][i]);
    }
}

/* Computes COLUMN_VECTORS vectors of sums for each of two rows, from the outermost taps inwards.
 * rows: 2 halo + 2 rows of values. Each is loaded once for both results: above, the values that the
 * second row uses at this tap are those that the first row uses at the next tap; below, it is the
 * other way round. The loop alternates between `even` and `odd`, because with one variable
 * compilers would copy registers. taps: from the centre outwards; start: initial value of the
 * sums. */
INLINED void sum_rows(COLUMN_REAL *const *rows, const COLUMN_REAL *restrict taps, int64_t halo,
                      COLUMN_REAL start, int64_t x, COLUMN sums[2][COLUMN_VECTORS])
{
    struct edges even, odd;
    int64_t k = halo;

    UNROLLED
    for (int i = 0; i < COLUMN_VECTORS; i++) {
        even.above[i] = COLUMN_AT(rows[0] + x + i * COLUMN_WIDTH);
        even.below[i] = COLUMN_AT(rows[2 * halo + 1] + x + i * COLUMN_WIDTH);
        sums[0][i] = sums[1][i] = start - (COLUMN){0}; /* + 0 would take an instruction */
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
        sums[0][i] = COLUMN_PLUS(sums[0][i], taps[0], even.above[i]);
        sums[1][i] = COLUMN_PLUS(sums[1][i], taps[0], even.below[i]);
    }
}

#endif
