/* SPDX-License-Identifier: MIT */
/* Compiled once for each instruction set, ISA being its name. */
#include "kernels/smooth/cpu/cosines/loops.h"

#include "kernels/common/isa.h"
#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/vectors.h"

#define WIDTH (VECTOR_BYTES / 8)

/* As wide as the machine's registers. Need not be aligned. */
typedef double vector __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
typedef int64_t truths __attribute__((vector_size(VECTOR_BYTES)));

INLINED vector at(const double *from)
{
    return *(const vector *)from;
}

INLINED void put(double *to, vector value)
{
    *(vector *)to = value;
}

/* Takes the recursions of a group through `count` steps, and adds their sums. fresh[i] is the sum
 * of the samples that enter on either side in step i, stale[i] of those that entered before. state:
 * y and d of each term. */
INLINED void advance(const struct cosine_group *group, const vector *fresh, const vector *stale,
                     int count, double *state, vector *sums)
{
    vector y[GROUP_TERMS], d[GROUP_TERMS];

    UNROLLED
    for (int m = 0; m < GROUP_TERMS; m++) {
        y[m] = at(state + 2 * m * WIDTH);
        d[m] = at(state + (2 * m + 1) * WIDTH);
    }
    for (int i = 0; i < count; i++) {
        UNROLLED
        for (int m = 0; m < GROUP_TERMS; m++) {
            d[m] += group->inner[m] * stale[i];
            d[m] += group->outer[m] * fresh[i];
            d[m] -= group->feedback[m] * y[m];
            y[m] += d[m];
        }
        sums[i] += (y[0] + y[1]) + (y[2] + y[3]);
    }
    UNROLLED
    for (int m = 0; m < GROUP_TERMS; m++) {
        put(state + 2 * m * WIDTH, y[m]);
        put(state + (2 * m + 1) * WIDTH, d[m]);
    }
}

/* All groups; state of a group after that of the one before. */
INLINED void advance_all(const struct cosine_series *series, const vector *fresh,
                         const vector *stale, int count, double *state, vector *sums)
{
    for (int i = 0; i < count; i++)
        sums[i] = (vector){0};
    for (int g = 0; g < series->groups; g++)
        advance(&series->group[g], fresh, stale, count, state + g * GROUP_TERMS * 2 * WIDTH, sums);
}

/* WIDTH samples from the row's sample x on. */
INLINED vector samples(const void *row, int64_t x, int32_t sample_bytes)
{
    vector wide;

    if (sample_bytes == 1) {
        typedef uint8_t bytes __attribute__((vector_size(WIDTH)));
        typedef int32_t half __attribute__((vector_size(WIDTH * 4)));
        bytes narrow;

        memcpy(&narrow, (const uint8_t *)row + x, sizeof narrow);
        wide = __builtin_convertvector(__builtin_convertvector(narrow, half), vector);
    } else {
        typedef uint16_t shorts __attribute__((vector_size(WIDTH * 2)));
        typedef int32_t half __attribute__((vector_size(WIDTH * 4)));
        shorts narrow;

        memcpy(&narrow, (const uint16_t *)row + x, sizeof narrow);
        wide = __builtin_convertvector(__builtin_convertvector(narrow, half), vector);
    }
    return wide;
}

/* Stores WIDTH columns of LINES sums by column. */
INLINED void store_columns(const vector *sums, double *to)
{
    UNROLLED
    for (int row = 0; row < LINES; row++)
        UNROLLED
    for (int i = 0; i < WIDTH; i++)
        to[i * LINES + row] = sums[row][i];
}

INLINED void sum_strip(const struct cosines_columns *columns, int64_t x, int32_t sample_bytes,
                       double *state, vector *sums)
{
    vector fresh[LINES], stale[LINES];
    vector entered = samples(columns->entering[0], x, sample_bytes);
    vector left = samples(columns->leaving[0], x, sample_bytes);

    UNROLLED
    for (int i = 0; i < LINES; i++) {
        const vector enters = samples(columns->entering[i + 1], x, sample_bytes);
        const vector leaves = samples(columns->leaving[i + 1], x, sample_bytes);

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

    for (int i = 0; i < LINES; i++) {
        const void *const *centre = columns->entering + axis->halo + i;

        sums[i] = axis->taps[0] * samples(centre[0], x, sample_bytes);
        for (int64_t k = 1; k <= axis->halo; k++)
            sums[i] += axis->taps[k] *
                       (samples(centre[-k], x, sample_bytes) + samples(centre[k], x, sample_bytes));
    }
}

/* The last strip overlaps the one before, but has a state of its own. */
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

/* Of the lines that a vector holds, LINE_STEP sums from pixel `first` on, the first to enter being
 * pixel 0. */
INLINED void sum_pixels(const struct cosines_line *line, const double *sums, int64_t first,
                        double *state, vector *out)
{
    const int64_t pitch = line->step * LINES, window = 2 * line->axis->halo + 1;
    const double *enters = sums + first * pitch, *leaves = enters - window * pitch;
    vector fresh[LINE_STEP], stale[LINE_STEP];

    for (int i = 0; i < LINE_STEP; i++, enters += pitch, leaves += pitch) {
        fresh[i] = at(enters) + at(leaves - pitch);
        stale[i] = at(enters - pitch) + at(leaves);
    }
    advance_all(&line->axis->series, fresh, stale, LINE_STEP, state, out);
}

INLINED void sum_pixels_directly(const struct cosines_line *line, const double *sums, int64_t first,
                                 vector *out)
{
    const struct cosines_axis *axis = line->axis;
    const int64_t pitch = line->step * LINES;
    const double *centre = sums + (first - axis->halo) * pitch;

    for (int i = 0; i < LINE_STEP; i++, centre += pitch) {
        out[i] = axis->taps[0] * at(centre);
        for (int64_t k = 1; k <= axis->halo; k++)
            out[i] += axis->taps[k] * (at(centre - k * pitch) + at(centre + k * pitch));
    }
}

/* Sums that 1/2 and the bound have been added to. */
INLINED bool any_unresolved(const vector *raised, double bound)
{
    truths risky = {0};
    bool any = false;

    for (int i = 0; i < LINE_STEP; i++) {
        typedef int32_t integers __attribute__((vector_size(WIDTH * 4)));
        const vector whole =
            __builtin_convertvector(__builtin_convertvector(raised[i], integers), vector);

        risky |= (truths)(raised[i] - whole - 2 * bound);
    }
    for (int i = 0; i < WIDTH; i++)
        any |= risky[i] < 0;
    return any;
}

/* Stores the pixels of a line; its unresolved samples are marked if there may be any. */
INLINED void give_line(const struct cosines_line *line, int number, const double *raised,
                       int64_t first, int count, bool risky)
{
    for (int i = 0; i < count; i++) {
        const double value = raised[i * WIDTH];
        const int32_t whole = (int32_t)value;
        const int32_t sample = whole < line->maxval ? whole : line->maxval;
        const int64_t place = (first + i) * line->step;

        if (line->sample_bytes == 1)
            ((uint8_t *)line->dst[number])[place] = (uint8_t)sample;
        else
            ((uint16_t *)line->dst[number])[place] = (uint16_t)sample;
        if (risky && value - whole < 2 * line->bound)
            line->unresolved[number][place] = 1;
    }
}

/* WIDTH lines from `number` on. */
INLINED bool sum_some_lines(const struct cosines_line *line, int number)
{
    const struct cosines_axis *axis = line->axis;
    const double *sums = line->sums + number + (2 * axis->halo + 2) * line->step * LINES;
    double state[MAX_GROUPS * GROUP_TERMS * 2 * WIDTH] = {0};
    const int64_t start = 2 * axis->halo, end = start + line->n;
    int64_t pixel = axis->direct ? start : start - round_up(start, LINE_STEP);
    bool any = false;

    for (; pixel < end; pixel += LINE_STEP) {
        const int count = (int)min(end - pixel, LINE_STEP);
        vector raised[LINE_STEP];
        bool risky;

        if (axis->direct)
            sum_pixels_directly(line, sums, pixel, raised);
        else
            sum_pixels(line, sums, pixel, state, raised);
        if (pixel < start)
            continue;
        for (int i = 0; i < LINE_STEP; i++)
            raised[i] += 0.5 + line->bound;
        risky = any_unresolved(raised, line->bound);
        any |= risky;
        for (int row = 0; row < WIDTH; row++)
            if (line->dst[number + row])
                give_line(line, number + row, (const double *)raised + row, pixel - start, count,
                          risky);
    }
    return any;
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
