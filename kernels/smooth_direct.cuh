/* SPDX-License-Identifier: MIT */
/* The direct two-dimensional sum of one sample, from global memory: the body of the naive and the
 * coalesced kernel, which differ only in which thread takes which sample. */
#ifndef SMOOTHIMG_SMOOTH_DIRECT_CUH
#define SMOOTHIMG_SMOOTH_DIRECT_CUH

#include "launch.cuh"
#include "weights.cuh"

/* The output's sample in the given row and column (of samples: neighbours of the same channel are
 * src.channels apart). */
template <typename T>
__device__ __forceinline__ uint32_t smooth_direct(const view &src, const weights &weights,
                                                  int64_t row, int64_t column)
{
    const int halo = weights.halo;
    uint128 total = 0;

    for (int i = -halo; i <= halo; i++) {
        const T *tap = row_of<const T>(src, row + i) + column - (int64_t)halo * src.channels;
        uint64_t sum = 0;

        for (int j = -halo; j <= halo; j++) {
            sum += weight_at(weights, j) * *tap;
            tap += src.channels;
        }
        total += (uint128)weight_at(weights, i) * sum;
    }
    return exact_round(total, weights.maxval);
}

#endif
