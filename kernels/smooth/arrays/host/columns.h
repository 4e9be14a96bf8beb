/* SPDX-License-Identifier: MIT */
/* These passes filter down the columns: each sum adds numbers of several rows. The passes compute
 * in single doubles, and read doubles or samples. Only loops.c includes this file. The sums of
 * ARRAY_TILE_ROWS rows by VECTORS vectors stay in registers, so each vector that is read is
 * converted once for all these rows. Rows are read from both ends of the window inwards, which
 * keeps rounding errors small (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_COLUMNS_H
#define SMOOTHIMG_ARRAYS_COLUMNS_H

/* LONE_VECTORS: how many vectors of sums are computed at a time for a row that is summed alone.
 * MOST_VECTORS: the greatest number of vectors of sums that are computed at a time for any row. */
#define LONE_VECTORS (ARRAY_BLOCK / WIDTH < 8 ? ARRAY_BLOCK / WIDTH : 8)
#define MOST_VECTORS 8
/* True for the sample types of images, except uint8_t: most images of bytes are filtered by cpu/u8
 * instead. Passes over these types with few taps have unrolled loops. */
#define IS_OF_IMAGES(TYPE)                                                                         \
    (__builtin_types_compatible_p(TYPE, uint16_t) || __builtin_types_compatible_p(TYPE, float))

#define reals_at at
/* Expands to X(sample type, NAME, TYPE) for each sample type that vectors convert. */
#define SAMPLE_COLUMNS(X)                                                                          \
    X(SAMPLE_U8, u8, uint8_t)                                                                      \
    X(SAMPLE_I8, i8, int8_t)                                                                       \
    X(SAMPLE_U16, u16, uint16_t)                                                                   \
    X(SAMPLE_I16, i16, int16_t)                                                                    \
    X(SAMPLE_I32, i32, int32_t)                                                                    \
    X(SAMPLE_F32, floats, float)

/* add_row_NAME adds one source row to rows first..end - 1 of the sums; row r uses taps[-r].
 * sum_some_NAME computes `rows` rows of sums, from index `first` of the pass on, in `vectors`
 * vectors of columns from x on. Source rows near either end are in the windows of only some of
 * these rows of sums. sum_block_NAME computes all rows of ARRAY_BLOCK columns. Its argument `halo`
 * is the halo of the pass; it may be a compile-time constant, for which the loop is unrolled.
 * sum_NAME computes a whole pass. If n is not a multiple of ARRAY_BLOCK, the last block overlaps
 * the previous one; then the pass must not add to `outs`, since it would add twice. */
#define DEFINE_COLUMNS(NAME, TYPE)                                                                 \
    INLINED void add_row_##NAME(const TYPE *from, const double *taps, int first, int end,          \
                                int vectors, bool skips, vector sums[][MOST_VECTORS])              \
    {                                                                                              \
        vector numbers[MOST_VECTORS];                                                              \
                                                                                                   \
        if (skips && taps[0] == 0)                                                                 \
            return;                                                                                \
        UNROLLED                                                                                   \
        for (int i = 0; i < vectors; i++)                                                          \
            numbers[i] = NAME##_at(from + WIDTH * i);                                              \
        UNROLLED                                                                                   \
        for (int r = first; r < end; r++) {                                                        \
            const vector tap = all(taps[-r]);                                                      \
                                                                                                   \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++)                                                      \
                sums[r][i] = fused(tap, numbers[i], sums[r][i]);                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    INLINED void sum_some_##NAME(int64_t halo, const struct array_pass *pass, int first, int rows, \
                                 int vectors, bool skips, int64_t x)                               \
    {                                                                                              \
        const TYPE *const *from = (const TYPE *const *)pass->rows + first;                         \
        const double *const taps = pass->taps - halo;                                              \
        vector sums[ARRAY_TILE_ROWS][MOST_VECTORS];                                                \
        int64_t low = rows - 1, high = 2 * halo;                                                   \
                                                                                                   \
        UNROLLED                                                                                   \
        for (int r = 0; r < rows; r++) {                                                           \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++)                                                      \
                sums[r][i] = all(0);                                                               \
        }                                                                                          \
        UNROLLED                                                                                   \
        for (int d = 0; d < rows - 1; d++) {                                                       \
            const int64_t last = 2 * halo + rows - 1 - d;                                          \
                                                                                                   \
            add_row_##NAME(from[d] + x, taps + d, 0, d + 1, vectors, skips, sums);                 \
            add_row_##NAME(from[last] + x, taps + last, rows - 1 - d, rows, vectors, skips, sums); \
        }                                                                                          \
        for (; low < high; low++, high--) {                                                        \
            add_row_##NAME(from[low] + x, taps + low, 0, rows, vectors, skips, sums);              \
            add_row_##NAME(from[high] + x, taps + high, 0, rows, vectors, skips, sums);            \
        }                                                                                          \
        if (low == high)                                                                           \
            add_row_##NAME(from[low] + x, taps + low, 0, rows, vectors, skips, sums);              \
        UNROLLED                                                                                   \
        for (int r = 0; r < rows; r++) {                                                           \
            double *const out = (double *)pass->outs[first + r] + x;                               \
                                                                                                   \
            UNROLLED                                                                               \
            for (int i = 0; i < vectors; i++) {                                                    \
                if (pass->adds)                                                                    \
                    sums[r][i] += at(out + WIDTH * i);                                             \
                *(vector *)(out + WIDTH * i) = sums[r][i];                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    INLINED void sum_block_##NAME(int64_t halo, const struct array_pass *pass, int64_t first)      \
    {                                                                                              \
        const bool shares = !pass->skips && 2 * halo >= ARRAY_TILE_ROWS - 2;                       \
        const int64_t end = first + ARRAY_BLOCK;                                                   \
        int row = 0;                                                                               \
                                                                                                   \
        for (; row + ARRAY_TILE_ROWS <= pass->count && shares; row += ARRAY_TILE_ROWS)             \
            for (int64_t x = first; x < end; x += VECTORS * WIDTH)                                 \
                sum_some_##NAME(halo, pass, row, ARRAY_TILE_ROWS, VECTORS, false, x);              \
        for (; row < pass->count; row++)                                                           \
            for (int64_t x = first; x < end; x += LONE_VECTORS * WIDTH)                            \
                if (pass->skips)                                                                   \
                    sum_some_##NAME(pass->halo, pass, row, 1, LONE_VECTORS, true, x);              \
                else                                                                               \
                    sum_some_##NAME(pass->halo, pass, row, 1, LONE_VECTORS, false, x);             \
    }                                                                                              \
                                                                                                   \
    static void sum_##NAME(const struct array_pass *pass, int64_t n)                               \
    {                                                                                              \
        const struct array_pass local = *pass; /* a copy that no store aliases */                  \
                                                                                                   \
        for (int64_t begin = 0; begin < n; begin += ARRAY_BLOCK) {                                 \
            const int64_t first = begin < n - ARRAY_BLOCK ? begin : n - ARRAY_BLOCK;               \
                                                                                                   \
            FOR_FEW_TAPS(IS_OF_IMAGES(TYPE) ? local.halo : 0,                                      \
                         sum_block_##NAME(local.halo, &local, first), sum_block_##NAME, &local,    \
                         first);                                                                   \
        }                                                                                          \
    }

#define DEFINE_COLUMNS_OF(SAMPLE, NAME, TYPE) DEFINE_COLUMNS(NAME, TYPE)
SAMPLE_COLUMNS(DEFINE_COLUMNS_OF)
DEFINE_COLUMNS(reals, double)

/* The parameters of the next header, whose sum_rows() computes two rows of sums at a time. Here the
 * rows that it reads hold doubles. */
#define COLUMN vector
#define COLUMN_REAL double
#define COLUMN_VECTORS VECTORS
#define COLUMN_AT at
#define COLUMN_PLUS(SUM, TAP, NUMBERS) fused(all(TAP), NUMBERS, SUM)
#define COLUMN_HELD(SUM)
#include "kernels/smooth/cpu/vectors/columns.h"

/* Filters an even number of rows. Adds the two numbers at the same distance from the centre before
 * it multiplies the sum by their tap. That halves the number of products, but takes more loads. */
static void sum_twos(const struct array_pass *pass, int rows, int64_t n)
{
    for (int64_t first = 0; first < n; first += ARRAY_BLOCK) {
        const int64_t begin = first < n - ARRAY_BLOCK ? first : n - ARRAY_BLOCK;

        for (int row = 0; row < rows; row += 2)
            for (int64_t x = begin; x < begin + ARRAY_BLOCK; x += VECTORS * WIDTH) {
                vector sums[2][COLUMN_VECTORS];

                sum_rows((double *const *)pass->rows + row, pass->taps, pass->halo, 0, x, sums);
                UNROLLED
                for (int i = 0; i < 2 * VECTORS; i++) {
                    double *const out = (double *)pass->outs[row + i % 2] + x + i / 2 * WIDTH;

                    if (pass->adds)
                        sums[i % 2][i / 2] += at(out);
                    *(vector *)out = sums[i % 2][i / 2];
                }
            }
    }
}

static void sum_doubles(const struct array_pass *pass, int64_t n)
{
    const int rows = pass->skips || pass->odd || pass->halo <= FEW_TAPS ? 0 : pass->count & -2;
    struct array_pass rest = *pass;

    sum_twos(&rest, rows, n);
    rest.rows += rows;
    rest.count -= rows;
    memcpy(rest.outs, pass->outs + rows, (size_t)rest.count * sizeof *rest.outs);
    if (rest.count > 0)
        sum_reals(&rest, n);
}

#define ROW_OF_SAMPLES(SAMPLE, NAME, TYPE) [SAMPLE] = sum_##NAME,

#endif
