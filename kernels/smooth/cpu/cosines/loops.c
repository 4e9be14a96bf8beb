/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/cosines/loops.h"

#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/cosines/lines.h"
#include "kernels/smooth/cpu/cosines/vectors.h"

/* Loads WIDTH samples from index x on, and subtracts the middle grey level from each. */
INLINED vector samples(const struct cosines_columns *columns, const void *row, int64_t x,
                       int32_t sample_bytes)
{
    const vector numbers =
        sample_bytes == 1 ? u8_at((const uint8_t *)row + x) : u16_at((const uint16_t *)row + x);

    return numbers - columns->middle;
}

/* Stores LINES sums for each of WIDTH columns, column by column. */
INLINED void store_columns(vector *sums, double *to)
{
    UNROLLED
    for (int row = 0; row < LINES; row += WIDTH) {
        transpose(sums + row);
        UNROLLED
        for (int i = 0; i < WIDTH; i++)
            put(to + i * LINES + row, sums[row + i]);
    }
}

INLINED void sum_strip(const struct cosines_columns *columns, int64_t x, int32_t sample_bytes,
                       double *state, vector *sums)
{
    vector fresh[LINES], stale[LINES];
    vector entered = samples(columns, columns->entering[0], x, sample_bytes);
    vector left = samples(columns, columns->leaving[0], x, sample_bytes);

    UNROLLED
    for (int i = 0; i < LINES; i++) {
        const vector enters = samples(columns, columns->entering[i + 1], x, sample_bytes);
        const vector leaves = samples(columns, columns->leaving[i + 1], x, sample_bytes);

        fresh[i] = enters + left;
        stale[i] = entered + leaves;
        entered = enters;
        left = leaves;
    }
    advance_all(&columns->axis->series, fresh, stale, LINES, state, sums);
}

INLINED void sum_strip_directly(const struct cosines_columns *columns, int64_t x,
                                int32_t sample_bytes, vector *sums)
{
    const struct cosines_axis *axis = columns->axis;
    vector rows[LINES + 2 * MAX_DIRECT];

    for (int64_t i = 0; i < LINES + 2 * axis->halo; i++)
        rows[i] = samples(columns, columns->entering[i], x, sample_bytes);
    UNROLLED
    for (int i = 0; i < LINES; i++)
        sums[i] = axis->taps[0] * rows[axis->halo + i];
    for (int64_t k = 1; k <= axis->halo; k++) {
        const vector *above = rows + axis->halo - k, *below = rows + axis->halo + k;

        UNROLLED
        for (int i = 0; i < LINES; i++)
            sums[i] += axis->taps[k] * (above[i] + below[i]);
    }
}

/* Sums strips of WIDTH columns. The last strip overlaps the one before, but has its own state. */
INLINED void sum_columns_of(const struct cosines_columns *columns, int32_t sample_bytes,
                            double *sums)
{
    const struct cosines_axis *axis = columns->axis;
    const int64_t state_size = (int64_t)axis->series.groups * GROUP_TERMS * 2 * WIDTH;
    double *state = columns->state;

    for (int64_t next = 0; next < columns->n; next += WIDTH) {
        const int64_t x = next + WIDTH <= columns->n ? next : columns->n - WIDTH;
        vector strip[LINES];

        if (axis->direct)
            sum_strip_directly(columns, x, sample_bytes, strip);
        else
            sum_strip(columns, x, sample_bytes, state, strip);
        state += state_size;
        if (sums)
            store_columns(strip, sums + x * LINES);
    }
}

static void sum_columns(const struct cosines_columns *columns, double *sums)
{
    if (columns->sample_bytes == 1)
        sum_columns_of(columns, 1, sums);
    else
        sum_columns_of(columns, 2, sums);
}

static bool sum_line(const struct cosines_line *line)
{
    bool any = false;

    for (int number = 0; number < LINES; number += WIDTH)
        any |= sum_some_lines(line, number);
    return any;
}

extern const struct smooth_cosines_loops FOR_ISA(smooth_cosines_loops);
const struct smooth_cosines_loops FOR_ISA(smooth_cosines_loops) = {
    .sum_columns = sum_columns,
    .sum_line = sum_line,
};
