/* SPDX-License-Identifier: MIT */
/* Vectors of doubles for the loops of cosine sums: transposing blocks, and the recursions.
 *
 * A step of a recursion moves the window by one sample; a group is GROUP_TERMS cosines
 * (series.h). */
#ifndef SMOOTHIMG_SMOOTH_COSINES_VECTORS_H
#define SMOOTHIMG_SMOOTH_COSINES_VECTORS_H

#include "kernels/smooth/cpu/cosines/series.h"
#include "kernels/smooth/cpu/vectors/doubles.h"

INLINED void put(double *to, vector value)
{
    *(vector *)to = value;
}

/* Exchanges lanes in each pair of vectors a, b whose indices differ only in the bit APART: the
 * lanes of a whose index has that bit, with the lanes of b whose index lacks it. */
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

/* Advances the recursions of one group of cosines (series.h) by `count` steps, and adds their y to
 * sums. fresh[i] is x(n+h+1) + x(n-h-1) of step i, stale[i] is x(n+h) + x(n-h). `state` holds y and
 * d of each cosine. */
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

/* Advances all groups. Their states follow each other in memory. */
INLINED void advance_all(const struct cosine_series *series, const vector *fresh,
                         const vector *stale, int count, double *state, vector *sums)
{
    for (int i = 0; i < count; i++)
        sums[i] = (vector){0};
    for (int g = 0; g < series->groups; g++)
        advance(&series->group[g], fresh, stale, count, state + g * GROUP_TERMS * 2 * WIDTH, sums);
}

#endif
