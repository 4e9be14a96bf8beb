/* SPDX-License-Identifier: MIT */
/* The filter of floats, the bound of an estimate, and the exact sum where that is not enough.
 *
 * With u = 2^-53, a term w(i) w(j) in(i, j) is rounded at most R = 2 halo_x + 2 halo_y + 4 times,
 * in a fixed order or another, fused or not; samples and weights are exact in doubles. So an
 * estimate in doubles is within 1.05 R u of the sum of the terms' magnitudes. 8 roundings are spare
 * for the ends of the interval, and for the magnitudes, which are rounded too. The quotient of two
 * such sums is within 1.05 (2 R + 1) u of the mean magnitude. */
#ifndef SMOOTHIMG_FUSED_FLOATS_FILTER_CUH
#define SMOOTHIMG_FUSED_FLOATS_FILTER_CUH

#include "kernels/common/float_sum.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"

#define FLOAT_HALO 64 /* at most, on either axis */

/* The filter, as the definition has it, and in doubles from the centre outwards. */
struct float_filter {
    two_axes_to<FLOAT_HALO> exact;
    double along[FLOAT_HALO + 1], down[FLOAT_HALO + 1];
    double whole; /* the sum of all weights of the window */

    __device__ __forceinline__ const weights_to<FLOAT_HALO> &x() const
    {
        return exact.along;
    }
    __device__ __forceinline__ const weights_to<FLOAT_HALO> &y() const
    {
        return exact.down;
    }
};

/* Sets the weights of one axis in doubles; returns their sum. */
static inline double set_taps(double *taps, const uint64_t *weights, int64_t halo)
{
    double sum = 0;

    for (int64_t k = 0; k <= halo; k++)
        taps[k] = (double)weights[halo + k] * 0x1p-46;
    for (int64_t k = 0; k <= halo; k++)
        sum += k > 0 ? 2 * taps[k] : taps[k];
    return sum;
}

static inline float_filter float_filter_of(const struct job *job)
{
    float_filter filter;

    memset(&filter, 0, sizeof filter);
    filter.exact = two_axes_of<FLOAT_HALO>(job);
    filter.whole = set_taps(filter.along, job->weights_x, job->halo_x) *
                   set_taps(filter.down, job->weights_y, job->halo_y);
    return filter;
}

/* As above. MEANS: of quotients (struct job, skip_nan). */
template <bool MEANS, class Filter>
__device__ __forceinline__ double float_bound(const Filter &filter)
{
    const double roundings = 2 * filter.x().halo + 2 * filter.y().halo + 12;

    return 1.05 * 0x1p-53 * (MEANS ? 2 * roundings + 1 : roundings);
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

#endif
