/* SPDX-License-Identifier: MIT */
/* Computes one unresolved sample again, in doubles: filter_sample of struct smooth_u8_loops. */
#ifndef SMOOTHIMG_SMOOTH_U8_SAMPLE_H
#define SMOOTHIMG_SMOOTH_U8_SAMPLE_H

#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/smooth/cpu/vectors/doubles.h"

/* Sums the column of the window around the sample at `centre`. */
INLINED double sum_column(const uint8_t *centre, int64_t stride,
                          const struct smooth_u8_weights *weights)
{
    double sum = weights->taps[0] * *centre;

    for (int64_t k = 1; k <= weights->halo_y; k++)
        sum += weights->taps[k] * (centre[-k * stride] + centre[k * stride]);
    return sum;
}

/* Sums SIDE_BY_SIDE columns of the window in two vectors, so that the additions of one do not wait
 * for those of the other. */
#define SIDE_BY_SIDE (2 * WIDTH)

INLINED void sum_columns(const uint8_t *centre, int64_t stride,
                         const struct smooth_u8_weights *weights, vector sums[2])
{
    for (int i = 0; i < 2; i++)
        sums[i] = weights->taps[0] * u8_at(centre + i * WIDTH);
    for (int64_t k = 1; k <= weights->halo_y; k++) {
        const uint8_t *above = centre - k * stride, *below = centre + k * stride;

        UNROLLED
        for (int i = 0; i < 2; i++)
            sums[i] += weights->taps[k] * (u8_at(above + i * WIDTH) + u8_at(below + i * WIDTH));
    }
}

/* Sums each column of the window, multiplies the sum by the column's weight, and adds the
 * products. */
static double filter_sample(const uint8_t *window, int64_t stride,
                            const struct smooth_u8_weights *weights)
{
    const int64_t n = 2 * weights->reach + 1;
    const uint8_t *centre = window + weights->halo_y * stride;
    const double *spread = weights->spread;
    vector totals[2] = {0};
    double total = 0;
    int64_t x = 0;

    for (; x + SIDE_BY_SIDE <= n; x += SIDE_BY_SIDE) {
        vector sums[2];

        sum_columns(centre + x, stride, weights, sums);
        for (int i = 0; i < 2; i++)
            totals[i] += at(spread + x + i * WIDTH) * sums[i];
    }
    for (; x < n; x++)
        total += spread[x] * sum_column(centre + x, stride, weights);
    for (int i = 0; i < WIDTH; i++)
        total += totals[0][i] + totals[1][i];
    return total;
}

#endif
