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
typedef int32_t integers __attribute__((vector_size(WIDTH * 4)));

INLINED vector at(const double *from)
{
    return *(const vector *)from;
}

INLINED void put(double *to, vector value)
{
    *(vector *)to = value;
}

/* gcc 12 would convert to doubles in halves. */
INLINED vector to_vector(integers value)
{
#ifdef __AVX512F__
    return (vector)_mm512_cvtepi32_pd((__m256i)value);
#else
    return __builtin_convertvector(value, vector);
#endif
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

#ifndef __AVX2__
/* WIDTH samples, in doubles. */
INLINED vector widened(const void *from, int32_t sample_bytes)
{
    const uint8_t *const u8 = from;
    const uint16_t *const u16 = from;
    vector wide = {0};

    UNROLLED
    for (int i = 0; i < WIDTH; i++)
        wide[i] = sample_bytes == 1 ? u8[i] : u16[i];
    return wide;
}
#elif VECTOR_BYTES == 32
INLINED vector widened(const void *from, int32_t sample_bytes)
{
    return (vector)_mm256_cvtepi32_pd(sample_bytes == 1
                                          ? _mm_cvtepu8_epi32(_mm_loadu_si32(from))
                                          : _mm_cvtepu16_epi32(_mm_loadl_epi64(from)));
}
#else
INLINED vector widened(const void *from, int32_t sample_bytes)
{
    return (vector)_mm512_cvtepi32_pd(sample_bytes == 1
                                          ? _mm256_cvtepu8_epi32(_mm_loadl_epi64(from))
                                          : _mm256_cvtepu16_epi32(_mm_loadu_si128(from)));
}
#endif

/* WIDTH samples from the row's sample x on, less the middle. */
INLINED vector samples(const struct cosines_columns *columns, const void *row, int64_t x,
                       int32_t sample_bytes)
{
    return widened((const char *)row + x * sample_bytes, sample_bytes) - columns->middle;
}

/* Exchanges the lanes of a whose number has the bit `apart` for those of b without it. */
#define EXCHANGE(APART, A_INDICES, B_INDICES)                                                      \
    UNROLLED                                                                                       \
    for (int i = 0; i < WIDTH; i++)                                                                \
        if (!(i & (APART))) {                                                                      \
            const vector a = block[i], b = block[i + (APART)];                                     \
                                                                                                   \
            block[i] = __builtin_shufflevector(a, b, A_INDICES);                                   \
            block[i + (APART)] = __builtin_shufflevector(a, b, B_INDICES);                         \
        }
#define LIST(...) __VA_ARGS__

/* Of WIDTH vectors. */
INLINED void transpose(vector *block)
{
#if WIDTH == 2
    EXCHANGE(1, LIST(0, 2), LIST(1, 3))
#elif WIDTH == 4
    EXCHANGE(1, LIST(0, 4, 2, 6), LIST(1, 5, 3, 7))
    EXCHANGE(2, LIST(0, 1, 4, 5), LIST(2, 3, 6, 7))
#else
    EXCHANGE(1, LIST(0, 8, 2, 10, 4, 12, 6, 14), LIST(1, 9, 3, 11, 5, 13, 7, 15))
    EXCHANGE(2, LIST(0, 1, 8, 9, 4, 5, 12, 13), LIST(2, 3, 10, 11, 6, 7, 14, 15))
    EXCHANGE(4, LIST(0, 1, 2, 3, 8, 9, 10, 11), LIST(4, 5, 6, 7, 12, 13, 14, 15))
#endif
}

/* Stores WIDTH columns of LINES sums by column. */
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
        vector sum = axis->taps[0] * at(centre);

        for (int64_t k = 1; k <= axis->halo; k++)
            sum += axis->taps[k] * (at(centre - k * pitch) + at(centre + k * pitch));
        out[i] = sum;
    }
}

/* Rounds raised sums: line after line of LINE_STEP samples.
 * Returns whether any is unresolved. */
INLINED bool round_sums(vector *raised, double bound, int32_t rounded[WIDTH][LINE_STEP])
{
    truths risky = {0};
    bool any = false;

    for (int i = 0; i < LINE_STEP; i += WIDTH) {
        transpose(raised + i);
        UNROLLED
        for (int row = 0; row < WIDTH; row++) {
            const integers whole = __builtin_convertvector(raised[i + row], integers);
            const vector rest = raised[i + row] - to_vector(whole);

            memcpy(rounded[row] + i, &whole, sizeof whole);
            risky |= (truths)(rest - 2 * bound);
        }
    }
    for (int i = 0; i < WIDTH; i++)
        any |= risky[i] < 0;
    return any;
}

/* to[i step] = rounded[i], but at most maxval */
INLINED void narrow_u8(const int32_t *restrict rounded, int32_t maxval, uint8_t *restrict to,
                       int64_t step, int count)
{
    for (int i = 0; i < count; i++)
        to[i * step] = (uint8_t)(rounded[i] < maxval ? rounded[i] : maxval);
}

INLINED void narrow_u16(const int32_t *restrict rounded, int32_t maxval, uint16_t *restrict to,
                        int64_t step, int count)
{
    for (int i = 0; i < count; i++)
        to[i * step] = (uint16_t)(rounded[i] < maxval ? rounded[i] : maxval);
}

/* Stores pixels from `first` on of a line. The usual cases have loops of their own. */
INLINED void give_pixels(const struct cosines_line *line, int number, const int32_t *rounded,
                         int64_t first, int count)
{
    const int64_t step = line->step;
    uint8_t *u8 = (uint8_t *)line->dst[number] + first * step * line->sample_bytes;
    uint16_t *u16 = (void *)u8;

    if (line->sample_bytes == 2 && step == 1)
        narrow_u16(rounded, line->maxval, u16, 1, count);
    else if (line->sample_bytes == 2)
        narrow_u16(rounded, line->maxval, u16, step, count);
    else if (step == 1 && count == LINE_STEP)
        narrow_u8(rounded, line->maxval, u8, 1, LINE_STEP);
    else
        narrow_u8(rounded, line->maxval, u8, step, count);
}

/* Marks the unresolved samples of a line. raised: as round_sums leaves it. */
static __attribute__((noinline)) void mark(const struct cosines_line *line, int number,
                                           const vector *raised, int64_t first, int count)
{
    for (int i = 0; i < count; i++) {
        const double value = raised[i / WIDTH * WIDTH + number % WIDTH][i % WIDTH];

        if (value - (int32_t)value < 2 * line->bound)
            line->unresolved[number][(first + i) * line->step] = 1;
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
        int32_t rounded[WIDTH][LINE_STEP];
        vector raised[LINE_STEP];
        bool risky;

        if (axis->direct)
            sum_pixels_directly(line, sums, pixel, raised);
        else
            sum_pixels(line, sums, pixel, state, raised);
        if (pixel < start)
            continue;
        for (int i = 0; i < LINE_STEP; i++)
            raised[i] += line->raise;
        risky = round_sums(raised, line->bound, rounded);
        any |= risky;
        for (int row = 0; row < WIDTH; row++) {
            if (!line->dst[number + row])
                continue;
            give_pixels(line, number + row, rounded[row], pixel - start, count);
            if (risky)
                mark(line, number + row, raised, pixel - start, count);
        }
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
