/* SPDX-License-Identifier: MIT */
/* The second pass: sums along LINES rows, tests the sums, and stores samples.
 *
 * A line is one of these rows. A sample is unresolved if the error bound does not prove its
 * rounding. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_LINES_H
#define SMOOTHIMG_SMOOTH_COSINES_LINES_H

#include "kernels/common/numbers.h"
#include "kernels/smooth/cpu/cosines/loops.h"
#include "kernels/smooth/cpu/cosines/vectors.h"

/* Computes LINE_STEP sums along each of WIDTH rows, from pixel `first` on. Pixel 0 is the first
 * that enters the window. */
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

/* Rounds LINE_STEP sums of each of WIDTH rows, and transposes them. The sums already include
 * line->raise. Returns true if a sample is unresolved. */
INLINED bool round_sums(vector *raised, double bound, int32_t rounded[WIDTH][LINE_STEP])
{
    truths risky = {0};

    for (int i = 0; i < LINE_STEP; i += WIDTH) {
        transpose(raised + i);
        UNROLLED
        for (int row = 0; row < WIDTH; row++) {
            const small_ints whole = __builtin_convertvector(raised[i + row], small_ints);
            const vector rest = raised[i + row] - of_ints(whole);

            memcpy(rounded[row] + i, &whole, sizeof whole);
            risky |= (truths)(rest - 2 * bound);
        }
    }
    return any_negative(risky);
}

/* Stores `count` pixels of a line, min(rounded[i], maxval), from pixel `first` on. */
INLINED void give_pixels(const struct cosines_line *line, int number,
                         const int32_t *restrict rounded, int64_t first, int count)
{
    const int64_t step = line->step, at = first * step;
    uint8_t *const u8 = line->dst[number];
    uint16_t *const u16 = line->dst[number];

    for (int i = 0; i < count; i++) {
        const int32_t sample = rounded[i] < line->maxval ? rounded[i] : line->maxval;

        if (line->sample_bytes == 1)
            u8[at + i * step] = (uint8_t)sample;
        else
            u16[at + i * step] = (uint16_t)sample;
    }
}

/* Marks the unresolved samples of a line. `raised` is as round_sums leaves it. */
static __attribute__((noinline)) void mark(const struct cosines_line *line, int number,
                                           const vector *raised, int64_t first, int count)
{
    for (int i = 0; i < count; i++) {
        const double value = raised[i / WIDTH * WIDTH + number % WIDTH][i % WIDTH];

        if (value - (int32_t)value < 2 * line->bound)
            line->unresolved[number][(first + i) * line->step] = 1;
    }
}

/* Computes WIDTH of the LINES rows, from number `number` on. Returns true if a sample is
 * unresolved. */
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

#endif
