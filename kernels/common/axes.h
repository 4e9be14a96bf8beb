/* SPDX-License-Identifier: MIT */
/* Properties of a request's weights along each axis. */
#ifndef SMOOTHIMG_AXES_H
#define SMOOTHIMG_AXES_H

#include "kernels/variant.h"

#include <string.h>

/* Returns whether both axes have the same halo and weights, as in most filters. Many engines
 * compute such filters faster. */
static inline bool axes_are_equal(const struct request *request)
{
    const size_t bytes = (size_t)(2 * request->halo_x + 1) * sizeof *request->weights_x;

    return request->halo_x == request->halo_y &&
           (request->weights_x == request->weights_y ||
            memcmp(request->weights_x, request->weights_y, bytes) == 0);
}

/* Returns the sum of the 2 halo + 1 weights of an axis, in units of 2^-46: less than 2^48. */
static inline uint64_t axis_sum(const uint64_t *weights, int64_t halo)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k <= 2 * halo; k++)
        sum += weights[k];
    return sum;
}

#endif
