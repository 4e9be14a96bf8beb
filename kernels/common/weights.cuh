/* SPDX-License-Identifier: MIT */
/* The filter as a kernel argument. Arguments are in constant memory, where all lanes of a warp read
 * the same word in one access. Each launch has its own copy. A table of weights takes 8 KiB.
 * Arguments of more than 4 KiB need CUDA 12.1, which allows 32764 bytes.
 *
 * Kernels are templates over the filter type. equal_axes has one table, for requests that have the
 * same weights along both axes, as most have; this halves the size of the arguments. two_axes has
 * one table for each axis. */
#ifndef SMOOTHIMG_WEIGHTS_CUH
#define SMOOTHIMG_WEIGHTS_CUH

#include "kernels/common/axes.h"
#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

#include <string.h>

/* The weights of an axis from the centre outwards, in units of 2^-46. Their upper and lower 32 bits
 * are in separate arrays, so that each half can be an operand of a 32-bit multiply-add. If they
 * were one 64-bit number, nvcc would multiply by 64 bits. */
template <int MOST> struct weights_to {
    int halo; /* at most MOST */
    uint32_t maxval;
    uint32_t lower[MOST + 1];
    uint32_t upper[MOST + 1]; /* the sum of the upper halves of the axis's 2 halo + 1 weights is
                                 below 2^16 */
};

typedef weights_to<MAX_HALO> weights;

struct equal_axes {
    weights both;

    __device__ __forceinline__ const weights &x() const
    {
        return both;
    }
    __device__ __forceinline__ const weights &y() const
    {
        return both;
    }
};

template <int MOST> struct two_axes_to {
    weights_to<MOST> along, down;

    __device__ __forceinline__ const weights_to<MOST> &x() const
    {
        return along;
    }
    __device__ __forceinline__ const weights_to<MOST> &y() const
    {
        return down;
    }
};

typedef two_axes_to<MAX_HALO> two_axes;

template <int MOST>
static inline void set_weights(weights_to<MOST> *weights, const uint64_t *from, int64_t halo,
                               uint32_t maxval)
{
    memset(weights, 0, sizeof *weights);
    weights->halo = (int)halo;
    weights->maxval = maxval;
    for (int64_t k = 0; k <= halo; k++) {
        weights->lower[k] = (uint32_t)from[halo + k];
        weights->upper[k] = (uint32_t)(from[halo + k] >> 32);
    }
}

template <class Filter> static inline Filter filter_of(const struct request *request);

template <> inline equal_axes filter_of<equal_axes>(const struct request *request)
{
    equal_axes filter;

    set_weights(&filter.both, request->weights_x, request->halo_x, request->maxval);
    return filter;
}

/* Returns the weights of both axes, whose halos are at most MOST. */
template <int MOST> static inline two_axes_to<MOST> two_axes_of(const struct request *request)
{
    two_axes_to<MOST> filter;

    set_weights(&filter.along, request->weights_x, request->halo_x, request->maxval);
    set_weights(&filter.down, request->weights_y, request->halo_y, request->maxval);
    return filter;
}

template <> inline two_axes filter_of<two_axes>(const struct request *request)
{
    return two_axes_of<MAX_HALO>(request);
}

/* Returns call.operator()<Filter>(). Filter is equal_axes if both axes have the same weights,
 * otherwise two_axes. */
template <class Call>
static inline const char *with_filter(const struct request *request, const Call &call)
{
    return axes_are_equal(request) ? call.template operator()<equal_axes>()
                                   : call.template operator()<two_axes>();
}

template <int MOST>
__device__ __forceinline__ uint64_t weight_at(const weights_to<MOST> &weights, int k)
{
    const int distance = k < 0 ? -k : k;

    return (uint64_t)weights.upper[distance] << 32 | weights.lower[distance];
}

#endif
