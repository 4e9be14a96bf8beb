/* SPDX-License-Identifier: MIT */
/* The filter of the kernels in weighted/, in doubles, and the bound of its error.
 *
 * They compute the sums N and A of common/exact.h, by which an output is N / A for a colour,
 * and A for alpha itself. Samples, products of two, and weights are exact in doubles; no term is
 * negative, so that the relative error of a sum is small however small the sum is. With u = 2^-53:
 *
 *     a sum down a column has n_y = 2 halo_y + 1 terms, one along the row n_x = 2 halo_x + 1; each
 *     term is added by one fma, which rounds once. So N and A are off by factors between
 *     (1 - u)^g and (1 + u)^g, g = n_x + n_y. Terms of weight 0, as beyond the last tap, add
 *     nothing and round nothing;
 *     1 / A is off by less than 1.01 u of itself (reciprocal() in divide.cuh), and its product with
 *     N is rounded only with the offset added. So N / A is off by at most
 *     (1 + u)^g (1 + 1.01 u) / (1 - u)^g - 1 < (2 g + 2) u of itself, as (2 g + 2)^2 u < 0.9;
 *     adding the offset (fused/arithmetic.cuh) rounds once more, below 2^21.
 *
 *     colours: (2 g + 2) u maxval + 2^-33          alpha: (g + 1) u W_x W_y maxval + 2^-33
 *
 * for weights that sum to W_x and W_y; maxval is increased by 1, for the rounding of the bound
 * itself. A is 0 exactly where all terms are: no product is too small for a double. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_FILTER_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_FILTER_CUH

#include "kernels/smooth/fused/filter.cuh"

#define WEIGHTED_MAX_HALO 64
#define WEIGHTED_RUN 8 /* outputs of a thread */

/* Samples and products are integers below 2^32. As the lower half of a double whose upper half is 0
 * they are subnormal numbers, in units of 2^-1074: so they are turned into doubles without an
 * instruction, and GPUs multiply these as fast as others. The weights down the columns are
 * multiplied by 2^1020, which brings the sums back among the normal numbers; those along the rows
 * by the rest. */
#define WEIGHTED_DOWN_SCALE 1020
#define WEIGHTED_ALONG_SCALE (1074 - WEIGHTED_DOWN_SCALE)

/* The weights of an axis from the first tap to the last, and zeros. */
struct weighted_axis {
    int halo;
    int reach; /* halo, so increased that 2 reach + WEIGHTED_RUN samples are two runs or more */
    double to_units; /* what makes a tap a whole number of the definition's units */
    double taps[2 * WEIGHTED_MAX_HALO + 1];
};

struct weighted_filter {
    weighted_axis along, down;
    double offset; /* 2^20 + 1/2 + bound */
    uint32_t unresolved, maxval;
};

/* The weight of tap 0, 1, ... as the definition has it. */
__device__ __forceinline__ uint64_t weight_of_tap(const weighted_axis &axis, int tap)
{
    return (uint64_t)(axis.taps[tap] * axis.to_units);
}

/* The greatest halo that the kernel's instance is made for, or 0: any. */
static inline int weighted_instance(const struct request *request)
{
    return request->halo <= 2 ? (int)request->halo : 0;
}

static inline void fill_weighted_axis(const axis_weights &weights, int scale, weighted_axis *axis)
{
    axis->halo = (int)weights.halo;
    axis->reach = max((axis->halo + 3) / 4 * 4, 4);
    axis->to_units = ldexp(1, WEIGHT_BITS - scale);
    for (int64_t k = -weights.halo; k <= weights.halo; k++)
        axis->taps[weights.halo + k] = ldexp(weights.at(k < 0 ? -k : k), scale);
}

/* Of a colour's N / A, and of alpha's A, before the offset is added; in grey levels. */
struct weighted_bounds {
    double colours, alpha;
};

static inline weighted_bounds bounds_of_sums(const struct request *request)
{
    const axis_weights along = weights_along(request), down = weights_down(request);
    const double rounds = (double)(2 * along.halo + 1 + 2 * down.halo + 1);
    const double most = request->maxval + 1.0, u = half_ulp(1);

    return {(2 * rounds + 2) * u * most, (rounds + 1) * u * along.sum() * down.sum() * most};
}

static inline double weighted_bound(const struct request *request)
{
    const weighted_bounds sums = bounds_of_sums(request);

    return fmax(sums.colours, sums.alpha) + half_ulp(1048576);
}

static inline weighted_filter make_weighted_filter(const struct request *request)
{
    const totals_in_doubles *form = nullptr; /* selects the overload */
    weighted_filter filter = {};

    fill_weighted_axis(weights_along(request), WEIGHTED_ALONG_SCALE, &filter.along);
    fill_weighted_axis(weights_down(request), WEIGHTED_DOWN_SCALE, &filter.down);
    filter.offset = 1048576.5;
    filter.maxval = request->maxval;
    begin(weighted_bound(request), &filter, form);
    return filter;
}

#endif
