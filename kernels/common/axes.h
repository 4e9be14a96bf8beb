/* SPDX-License-Identifier: MIT */
/* Properties of a request's weights along each axis. */
#ifndef SMOOTHIMG_AXES_H
#define SMOOTHIMG_AXES_H

#include "kernels/common/exact.h"
#include "kernels/variant.h"

#include <math.h>
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

/* The weights of an axis: 2 halo + 1 integers in units of 2^-WEIGHT_BITS. The functions below
 * return weights, and their sum, as doubles, in which 2^WEIGHT_BITS units are 1.0. These doubles
 * are exact. */
struct axis_weights {
    const uint64_t *weights;
    int64_t halo;
};

static inline struct axis_weights weights_along(const struct request *request)
{
    const struct axis_weights along = {request->weights_x, request->halo_x};

    return along;
}

static inline struct axis_weights weights_down(const struct request *request)
{
    const struct axis_weights down = {request->weights_y, request->halo_y};

    return down;
}

#define WEIGHT_UNIT (1.0 / ((uint64_t)1 << WEIGHT_BITS))

/* Returns the weight at distance k from the centre. */
static inline double axis_weight(struct axis_weights axis, int64_t k)
{
    return (double)axis.weights[axis.halo + k] * WEIGHT_UNIT;
}

static inline double axis_sum(struct axis_weights axis)
{
    uint64_t sum = 0; /* below 2^48 */

    for (int64_t k = 0; k <= 2 * axis.halo; k++)
        sum += axis.weights[k];
    return (double)sum * WEIGHT_UNIT;
}

/* Returns the greatest weight. It is not always the centre's: with --norm sum the centre's weight
 * is 2^46 units minus the sum of all other weights, and in a flat filter this may be less than any
 * other weight. */
static inline double axis_greatest(struct axis_weights axis)
{
    double greatest = 0;

    for (int64_t k = 0; k <= axis.halo; k++)
        greatest = fmax(greatest, axis_weight(axis, k));
    return greatest;
}

/* True if the weights of each axis sum to 1. */
static inline bool sums_to_one(const struct request *request)
{
    return axis_sum(weights_along(request)) == 1 && axis_sum(weights_down(request)) == 1;
}

#endif
