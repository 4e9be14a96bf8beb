/* SPDX-License-Identifier: MIT */
/* Computes the last pass of a filter, which runs along a row. Only loops.c includes this file.
 *
 * A part is a sum along the row of numbers times taps. A root is a sum of parts: it is the result,
 * or, for magnitudes, one of the sums whose squares are added. A sample is unresolved while its
 * rounding is not proven. */
#ifndef SMOOTHIMG_ARRAYS_LINE_H
#define SMOOTHIMG_ARRAYS_LINE_H

#define PLUS_PRODUCT(SUM, TAP, VECTOR) fused(all(TAP), VECTOR, SUM)
#include "kernels/smooth/cpu/vectors/windows.h"

INLINED void sum_pairs(const struct array_part *part, int64_t step, bool odd, int64_t x,
                       vector sums[VECTORS])
{
    const double *const centre = part->centre + x;

    UNROLLED
    for (int i = 0; i < VECTORS; i++)
        sums[i] = all(0);
    if (part->dense || part->taps[0] != 0) {
        UNROLLED
        for (int i = 0; i < VECTORS; i++)
            sums[i] = fused(all(part->taps[0]), at(centre + WIDTH * i), all(0));
    }
    UNROLLED
    for (int64_t k = 1; k <= part->halo; k++) {
        const double *left = centre - k * step, *right = centre + k * step;

        if (!part->dense && part->taps[k] == 0)
            continue;
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            const vector a = at(right + WIDTH * i), b = at(left + WIDTH * i);

            sums[i] = fused(all(part->taps[k]), odd ? a - b : a + b, sums[i]);
        }
    }
}

INLINED void sum_part(const struct array_part *part, int64_t step, int64_t x, vector sums[VECTORS])
{
#if VECTOR_BYTES > 16
    _Static_assert(SLID == VECTORS, "windows have as many vectors");
    if (step == 1 && part->halo >= WIDTH && part->dense) {
        if (part->odd)
            sum_windows(part->centre + x, part->taps, part->halo, true, sums);
        else
            sum_windows(part->centre + x, part->taps, part->halo, false, sums);
        return;
    }
#endif
    if (part->odd)
        sum_pairs(part, step, true, x, sums);
    else
        sum_pairs(part, step, false, x, sums);
}

/* Sums a part into `out`, or, if `adds`, adds it to `out`. */
INLINED void add_part(const struct array_part *part, int64_t step, bool adds, int64_t n,
                      double *out)
{
    /* A local copy, so that the compiler knows that stores do not change it. */
    const struct array_part local = *part;

    for (int64_t x = 0; x < n; x += VECTORS * WIDTH) {
        vector sums[VECTORS];

        sum_part(&local, step, x, sums);
        UNROLLED
        for (int i = 0; i < VECTORS; i++) {
            if (adds)
                sums[i] += at(out + x + WIDTH * i);
            *(vector *)(out + x + WIDTH * i) = sums[i];
        }
    }
}

static void add_squares(const double *term, bool adds, int64_t n, double *total)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector value = at(term + x);
        vector sum = value * value;

        if (adds)
            sum += at(total + x);
        *(vector *)(total + x) = sum;
    }
}

/* Replaces sums of squares by their roots. If a sum may have lost bits to underflow, its root
 * becomes NaN, which leaves the sample unresolved. Two cases keep such roots: line->keeps_small,
 * and a block whose error bound is 0, since all its samples are 0. */
static void take_roots(const struct array_line *line, int64_t n, double *total)
{
    for (int64_t x = 0; x < n; x += WIDTH) {
        const vector square = at(total + x), root = roots_of(square);
        const bool keeps = line->keeps_small || line->bounds[x / ARRAY_BLOCK] == 0;
        const truths lost = keeps ? (truths){0} : (truths)(square < all(SAFE_SQUARE));

        *(vector *)(total + x) = (vector)((truths)root | (lost & (truths)all(NAN)));
    }
}

static void sum_line(const struct array_line *line, int64_t n, double *out)
{
    double *const sums = line->squares ? out + n : out;
    int part = 0;

    for (int r = 0; r < line->roots; r++) {
        for (bool adds = false; part < line->ends[r]; part++, adds = true)
            add_part(&line->parts[part], line->step, adds, n, sums);
        if (line->squares)
            add_squares(sums, r > 0, n, out);
    }
    if (line->squares)
        take_roots(line, n, out);
}

#endif
