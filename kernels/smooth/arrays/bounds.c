/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/bounds.h"

#include "kernels/common/numbers.h"

#include <math.h>

void array_tap(int bits, const struct array_weight *weight, double *tap, double *rest)
{
    const uint64_t high = u128_high(weight->magnitude), low = u128_low(weight->magnitude);
    const double unit = ldexp(weight->negative ? -1 : 1, -bits);
    /* The magnitude is the sum of these four parts of 32 bits, each exact as a double. The parts
     * are added from the greatest one on. Their sum as two doubles, sum + lost, is off by less than
     * 2^-106 of itself. */
    const double parts[4] = {(double)(high >> 32) * 0x1p96, (double)(uint32_t)high * 0x1p64,
                             (double)(low >> 32) * 0x1p32, (double)(uint32_t)low};
    double sum = 0, lost = 0;

    for (int i = 0; i < 4; i++) {
        const double next = sum + parts[i];

        lost += parts[i] - (next - sum);
        sum = next;
    }
    *tap = (sum + lost) * unit;
    *rest = (lost - ((sum + lost) - sum)) * unit;
}

double array_scale(double most)
{
    int exponent;

    frexp(most, &exponent); /* `most` is below 2^exponent */
    return most > 0 ? fmax(ldexp(4, exponent), LEAST_SCALE) : 0;
}

/* Returns the sum of all partial sums of |taps| if the taps are added from both ends inwards,
 * alternately. A pass computes `rows` adjacent result rows together, and reads each source row once
 * for all of them. The taps that are added here belong to the result row with index `row`; source
 * rows outside of its window count as taps of 0. */
static double partial_sums(const struct axis_taps *taps, int rows, int row)
{
    const int64_t span = 2 * taps->halo + rows;
    double sum = 0, all = 0;

    for (int64_t i = 0; i < span; i++) {
        const int64_t source = i % 2 == 0 ? i / 2 : span - 1 - i / 2;

        sum += fabs(taps->taps[source - row - taps->halo]);
        all += sum;
    }
    return all;
}

/* Returns the sum of all partial sums of |taps| on a GPU (see the head of bounds.h). */
static double partial_sums_on_gpu(const struct axis_taps *taps)
{
    double sum = 0, all = 0;

    if (taps->halo <= MOST_SHORT)
        return ((double)taps->halo + 1) * taps->sum;
    for (int64_t k = taps->halo; k >= 0; k--) {
        sum += k > 0 ? 2 * fabs(taps->taps[k]) : fabs(taps->taps[k]);
        all += sum;
    }
    return all;
}

void axis_taps_fill(struct axis_taps *taps)
{
    taps->negative = taps->odd;
    taps->dense = true;
    taps->sum = 0;
    for (int64_t k = 0; k <= taps->halo; k++) {
        const double sign = taps->odd ? -1 : 1;
        double tap, rest;

        array_tap(taps->bits, &taps->weights[k], &tap, &rest);
        if (taps->odd && k == 0)
            tap = rest = 0;
        taps->taps[-k] = sign * tap;
        taps->rests[-k] = sign * rest;
        taps->taps[k] = tap; /* if odd, +0 at the centre */
        taps->rests[k] = rest;
        taps->negative = taps->negative || taps->weights[k].negative;
        taps->dense = taps->dense && tap != 0;
        taps->sum += k > 0 ? 2 * fabs(tap) : fabs(tap);
    }
    taps->on_gpu = partial_sums_on_gpu(taps);
    taps->inwards = partial_sums(taps, 1, 0);
    for (int row = 0; row < ARRAY_TILE_ROWS; row++)
        taps->inwards = fmax(taps->inwards, partial_sums(taps, ARRAY_TILE_ROWS, row));
}
