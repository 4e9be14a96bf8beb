/* SPDX-License-Identifier: MIT */
/* Images without a border, by the edge rule: which column stands for one outside, and the repair of
 * a sample whose window reaches there. So such an image is read where it is, in one launch: a copy
 * with its border would be another. */
#ifndef SMOOTHIMG_FUSED_SMALL_BARE_CUH
#define SMOOTHIMG_FUSED_SMALL_BARE_CUH

#include "kernels/common/edge.h"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/small/filter.cuh"

/* Which column of samples the rule copies to this one, from -reach on, which is whole pixels; -1:
 * its samples are zero. */
__device__ __forceinline__ int64_t bare_column(const view &src, int64_t column, int reach,
                                               enum edge edge)
{
    if (column >= 0 && column < src.width * src.channels)
        return column;
    const uint32_t shifted = (uint32_t)(column + reach), channels = (uint32_t)src.channels;
    const int64_t pixel = (int64_t)(shifted / channels) - reach / src.channels;
    const int64_t from = edge_index(edge, pixel, src.width);

    return from < 0 ? -1 : from * src.channels + shifted % channels;
}

/* Computes one output sample, by a warp. */
template <typename Sample, class Filter>
__device__ void repair_bare_sample(const view &src, const view &dst, const Filter &filter,
                                   int64_t x, int64_t y, int32_t channel, enum edge edge)
{
    const int lane = (int)threadIdx.x % 32, halo_x = filter.x().halo, halo_y = filter.y().halo;
    uint128 total = 0;

    for (int i = lane - halo_y; i <= halo_y; i += 32) {
        const int64_t row = edge_index(edge, y + i, src.height);
        uint64_t sum = 0;

        for (int j = -halo_x; row >= 0 && j <= halo_x; j++) {
            const int64_t from = edge_index(edge, x + j, src.width);

            if (from >= 0)
                sum += weight_at(filter.x(), j) *
                       row_of<const Sample>(src, row)[from * src.channels + channel];
        }
        total += (uint128)weight_at(filter.y(), i) * sum;
    }
    for (int lanes = 16; lanes > 0; lanes /= 2)
        total += shuffle_down(total, (unsigned)lanes);
    if (lane == 0)
        row_of<Sample>(dst, y)[x * dst.channels + channel] =
            (Sample)exact_round(total, filter.x().maxval);
}

#endif
