/* SPDX-License-Identifier: MIT */
/* kernels/smooth/arrays/host/series.h smooths by a recursion that sums cosines. This header
 * computes the weights of the filter that the recursion is equal to. */
#ifndef SMOOTHIMG_SERIES_H
#define SMOOTHIMG_SERIES_H

#include "kernels/smooth/arrays/host/series.h"

#include <string.h>

/* Applies the recursion to a row of zeros that begins with a single 1. Sets values[k], for k in
 * 0..2 halo, to the result: the weight at distance k - halo. */
static inline void find_series(const struct cosine_series *series, double *values)
{
    const int64_t halo = series->halo;

    memset(values, 0, (size_t)(2 * halo + 1) * sizeof *values);
    for (int term = 0; term < series->groups * GROUP_TERMS; term++) {
        const struct cosine_group *group = &series->group[term / GROUP_TERMS];
        const int m = term % GROUP_TERMS;
        double y = 0, d = 0;

        for (int64_t k = 0; k <= 2 * halo; k++) {
            d += (k == 0 ? group->outer[m] : k == 1 ? group->inner[m] : 0) - group->feedback[m] * y;
            y += d;
            values[k] += y;
        }
    }
}

#endif
