/* SPDX-License-Identifier: MIT */
/* The window of one float sample on a GPU: an estimate in doubles, an interval around it, and the
 * exact sum where the ends of the interval do not round to the same float. For kernels that sum
 * windows directly.
 *
 * With u = 2^-53, a term w(i) w(j) in(i, j) is rounded at most R = 2 halo_x + 2 halo_y + 4 times,
 * in a fixed order or another, fused or not; samples and weights are exact in doubles. So the
 * estimate is within 1.05 R u of the sum of the terms' magnitudes, which is summed beside it: no
 * other sample's size counts. 8 roundings are spare for the ends, and for the magnitudes, which are
 * rounded too. The quotient of two such sums is within 1.05 (2 R + 1) u of the mean magnitude. */
#ifndef SMOOTHIMG_FUSED_FLOATS_FILTER_CUH
#define SMOOTHIMG_FUSED_FLOATS_FILTER_CUH

#include "kernels/common/float_sum.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"

/* Sums over a window or a row of it. MEANS: struct job, skip_nan. */
struct float_window {
    double sum, size, there; /* of the samples, their magnitudes, and, for means, of the weights */
    unsigned kinds;          /* of the samples that are not finite */
};

/* Samples without weight do not count. */
template <bool MEANS>
__device__ __forceinline__ void add_tap(float_window &row, double weight, uint32_t bits)
{
    const unsigned kind = float_kind(bits);

    if (weight == 0 || (MEANS && kind == FLOAT_NAN))
        return;
    if (kind == FLOAT_FINITE) {
        const double term = weight * (double)__uint_as_float(bits);

        row.sum += term;
        row.size += fabs(term);
    }
    row.kinds |= kind;
    if (MEANS)
        row.there += weight;
}

template <bool MEANS>
__device__ __forceinline__ void add_row(float_window &window, double weight,
                                        const float_window &row)
{
    if (weight == 0)
        return;
    window.sum += weight * row.sum;
    window.size += weight * row.size;
    window.kinds |= row.kinds;
    if (MEANS)
        window.there += weight * row.there;
}

/* The weight at distance k in units of 1. */
template <int MOST>
__device__ __forceinline__ double real_weight(const weights_to<MOST> &weights, int k)
{
    return (double)weight_at(weights, k) * 0x1p-46;
}

/* The definition. */
template <bool MEANS, class Filter>
__device__ uint32_t exact_float(const view &src, const Filter &filter, int64_t row, int64_t column)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo;
    float_sum total = {};
    uint128 there = 0;

    for (int i = -halo_y; i <= halo_y; i++) {
        const uint32_t *taps = row_of<const uint32_t>(src, row + i) + column;
        float_sum sum = {};
        uint64_t row_there = 0;

        for (int j = -halo_x; j <= halo_x; j++) {
            const uint32_t bits = taps[(int64_t)j * src.channels];
            const unsigned kind = float_kind(bits);

            if (kind == FLOAT_FINITE)
                float_sum_add(&sum, weight_at(filter.x(), j), bits);
            if (kind != FLOAT_NAN)
                row_there += weight_at(filter.x(), j);
        }
        float_sum_add_sum(&total, weight_at(filter.y(), i), &sum);
        there += (uint128)weight_at(filter.y(), i) * row_there;
    }
    return MEANS ? float_sum_mean(total, there) : float_sum_round(total);
}

/* The output's sample in the given row and column, from its window's sums. */
template <bool MEANS, class Filter>
__device__ __forceinline__ uint32_t float_result(const float_window &window, const view &src,
                                                 const Filter &filter, int64_t row, int64_t column)
{
    const double roundings = 2 * filter.x().halo + 2 * filter.y().halo + 12;
    const double whole = MEANS ? window.there : 1;
    const double bound = 1.05 * 0x1p-53 * (MEANS ? 2 * roundings + 1 : roundings);

    if (window.kinds != FLOAT_FINITE)
        return float_special(window.kinds);
    if (MEANS && window.there == 0)
        return FLOAT_QUIET_NAN;

    const double estimate = window.sum / whole, off = bound * (window.size / whole);
    const uint32_t low = __float_as_uint((float)(estimate - off));
    const uint32_t high = __float_as_uint((float)(estimate + off));

    return low == high ? low : exact_float<MEANS>(src, filter, row, column);
}

/* The same from global memory. */
template <bool MEANS, class Filter>
__device__ __forceinline__ uint32_t smooth_direct_float(const view &src, const Filter &filter,
                                                        int64_t row, int64_t column)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo;
    float_window window = {};

    for (int i = -halo_y; i <= halo_y; i++) {
        const uint32_t *tap =
            row_of<const uint32_t>(src, row + i) + column - (int64_t)halo_x * src.channels;
        float_window sums = {};

        for (int j = -halo_x; j <= halo_x; j++) {
            add_tap<MEANS>(sums, real_weight(filter.x(), j), *tap);
            tap += src.channels;
        }
        add_row<MEANS>(window, real_weight(filter.y(), i), sums);
    }
    return float_result<MEANS>(window, src, filter, row, column);
}

#endif
