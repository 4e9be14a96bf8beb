/* SPDX-License-Identifier: MIT */
/* Computes the last pass of a filter, which runs along a row. Only loops.c includes this file.
 *
 * A part is one of the sums that the pass adds. Each result of a part is the sum of the products of
 * taps and the numbers in a window along the row. */
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

/* Computes n results of a part. Stores them in `out`, or, if `adds`, adds them to `out`. */
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

static void sum_line(const struct array_line *line, int64_t n, double *out)
{
    for (int i = 0; i < line->count; i++)
        add_part(&line->parts[i], line->step, i > 0, n, out);
}

#endif
