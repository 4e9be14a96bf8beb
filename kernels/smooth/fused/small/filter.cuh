/* SPDX-License-Identifier: MIT */
/* The filter of small/kernel.cuh, in doubles, and the bound of its error. A sample is unresolved if
 * the bound does not prove its rounding.
 *
 * For samples up to maxval, let W_y and W_x be the sums of the weights down the columns and along
 * the rows, and u(x) half the distance between doubles near x. A column's sum is rounded at most
 * n_y = 2 halo_y + 1 times, each time to a value of at most maxval W_y. The sum of columns' sums
 * along a row is rounded at most n_x = 2 halo_x + 1 times, to values of at most maxval W_x W_y.
 * When the offset is added (fused/arithmetic.cuh), it is rounded once more, to a value below 2^21.
 * So the bound is
 *
 *     W_x n_y u(maxval W_y) + n_x u(maxval W_x W_y) + u(2^20)
 *
 * computed with maxval + 1 in place of maxval: values that already have the errors of earlier
 * roundings may exceed the limits above, by far less than 1. A weight of 0, such as those beyond
 * the taps, adds no value and no error.
 *
 * A run is the SMALL_RUN adjacent outputs of a thread, a chunk the samples that it loads at
 * once. */
#ifndef SMOOTHIMG_FUSED_SMALL_FILTER_CUH
#define SMOOTHIMG_FUSED_SMALL_FILTER_CUH

#include "kernels/smooth/fused/filter.cuh"

#define SMALL_MAX_HALO 32
#define SMALL_RUN 4   /* outputs of a thread */
#define SMALL_CHUNK 8 /* samples that a thread loads at once */

/* The weights of an axis, from the first tap to the last, in units of 1, with zeros on both sides.
 * The zeros before them are for the last output of a run, whose first tap is SMALL_RUN - 1 samples
 * after that of the first output. The zeros after them fill the last chunk. */
struct small_axis {
    int halo;
    uint32_t maxval;
    double taps[SMALL_RUN - 1 + 2 * SMALL_MAX_HALO + 1 + SMALL_RUN - 1 + SMALL_CHUNK];
};

struct small_filter {
    small_axis along, down;
    double offset;       /* 2^20 + 1/2 + bound */
    uint32_t unresolved; /* a sample whose fraction() is below this is unresolved */

    __device__ __forceinline__ const small_axis &x() const
    {
        return along;
    }
    __device__ __forceinline__ const small_axis &y() const
    {
        return down;
    }
};

/* Returns the definition's weight at distance k. */
__device__ __forceinline__ uint64_t weight_at(const small_axis &axis, int k)
{
    return (uint64_t)(axis.taps[SMALL_RUN - 1 + axis.halo + k] * (double)(1ull << WEIGHT_BITS));
}

static inline void fill_small_axis(const axis_weights &weights, uint32_t maxval, small_axis *axis)
{
    axis->halo = (int)weights.halo;
    axis->maxval = maxval;
    for (int64_t k = -weights.halo; k <= weights.halo; k++)
        axis->taps[SMALL_RUN - 1 + weights.halo + k] = axis_weight(weights, k < 0 ? -k : k);
}

/* Returns the bound in grey levels. */
static inline double small_bound(const struct request *request)
{
    const axis_weights along = weights_along(request), down = weights_down(request);
    const double most = request->maxval + 1.0;

    return axis_sum(along) * (double)(2 * down.halo + 1) * half_ulp(most * axis_sum(down)) +
           (double)(2 * along.halo + 1) * half_ulp(most * axis_sum(down) * axis_sum(along)) +
           half_ulp(1048576);
}

static inline small_filter make_small_filter(const struct request *request)
{
    small_filter filter = {};

    fill_small_axis(weights_along(request), request->maxval, &filter.along);
    fill_small_axis(weights_down(request), request->maxval, &filter.down);
    filter.offset = 1048576.5;
    set_threshold(small_bound(request), &filter);
    return filter;
}

#endif
