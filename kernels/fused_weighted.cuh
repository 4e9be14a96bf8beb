/* SPDX-License-Identifier: MIT */
/* Both passes in one kernel where alpha weighs colours, in the definition's integers: a block sums
 * along the rows of its tile and of the halo above and below it into shared memory, and then down
 * the columns. Alpha comes first; its totals stay with the threads for the quotients of the
 * colours. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_CUH

#include "smooth_direct.cuh"
#include "smooth_shared_weighted.cuh"

#define WEIGHTED_X 32 /* pixels of a tile in a row, one for each lane of a warp */
#define WEIGHTED_WARPS 8
#define WEIGHTED_EACH 4 /* outputs of a thread, WEIGHTED_WARPS rows apart */
#define WEIGHTED_Y (WEIGHTED_WARPS * WEIGHTED_EACH)

/* The sum along a window's row of a sample, or of its products with alpha, which is to_alpha
 * samples further on. first: of the window. */
template <typename T>
__device__ __forceinline__ typename weighted_sum<T>::type
sum_weighted_row(const T *first, const weights &weights, int32_t channels, int to_alpha)
{
    typename weighted_sum<T>::type sum = 0;

    for (int j = -weights.halo; j <= weights.halo; j++, first += channels) {
        const uint32_t factor = to_alpha > 0 ? first[to_alpha] : 1;

        sum += (typename weighted_sum<T>::type)weight_at(weights, j) * (factor * *first);
    }
    return sum;
}

/* The totals of a thread in the tile at (.., y), x being its column. sums: of the tile's rows. */
template <typename T>
__device__ __forceinline__ void
sum_weighted_tile(uint128 (&totals)[WEIGHTED_EACH], typename weighted_sum<T>::type *sums,
                  const view &src, const weights &weights, int64_t x, int64_t y, int32_t channel)
{
    const int halo = weights.halo;
    const int to_alpha = src.channels - 1 - channel;

    __syncthreads(); /* before the rows of the last channel go */
    for (int r = threadIdx.y; r < WEIGHTED_Y + 2 * halo; r += WEIGHTED_WARPS)
        if (x < src.width && y + r < src.height + 2 * halo)
            sums[r * WEIGHTED_X + threadIdx.x] = sum_weighted_row(
                row_of<const T>(src, y + r - halo) + (x - halo) * src.channels + channel, weights,
                src.channels, to_alpha);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < WEIGHTED_EACH; i++) {
        const int row = threadIdx.y + i * WEIGHTED_WARPS;

        totals[i] = 0;
        if (x < src.width && y + row < src.height)
            for (int k = 0; k <= 2 * halo; k++)
                exact_add_sum(&totals[i], weight_at(weights, k - halo),
                              sums[(row + k) * WEIGHTED_X + threadIdx.x]);
    }
}

template <typename T>
__global__ void __launch_bounds__(WEIGHTED_X *WEIGHTED_WARPS)
    fused_weighted(const view src, const view dst, const __grid_constant__ weights weights)
{
    DYN_SHARED(typename weighted_sum<T>::type, sums);
    const int64_t x = (int64_t)blockIdx.x * WEIGHTED_X + threadIdx.x;
    const int32_t alpha = src.channels - 1;

    for (int64_t y = (int64_t)blockIdx.y * WEIGHTED_Y; y < src.height;
         y += (int64_t)gridDim.y * WEIGHTED_Y) {
        uint128 cover[WEIGHTED_EACH], colours[WEIGHTED_EACH] = {};

        sum_weighted_tile<T>(cover, sums, src, weights, x, y, alpha);
        for (int32_t channel = alpha; channel >= 0; channel--) {
            if (channel < alpha)
                sum_weighted_tile<T>(colours, sums, src, weights, x, y, channel);
#pragma unroll
            for (int i = 0; i < WEIGHTED_EACH; i++) {
                const int64_t row = y + threadIdx.y + i * WEIGHTED_WARPS;
                const int64_t column = x * src.channels + channel;

                if (x < src.width && row < src.height)
                    row_of<T>(dst, row)[column] =
                        (T)(channel == alpha          ? exact_round(cover[i], weights.maxval)
                            : exact_is_zero(cover[i]) ? row_of<const T>(src, row)[column]
                                                      : exact_mean(colours[i], cover[i]));
            }
        }
    }
}

/* By shared's direct sums where shared memory does not hold the rows of a tile. */
template <typename T> static const char *launch_fused_weighted(const struct job *job)
{
    const size_t bytes =
        (size_t)(WEIGHTED_Y + 2 * job->halo) * WEIGHTED_X * sizeof(typename weighted_sum<T>::type);

    if (bytes > MOST_SHARED_BYTES)
        return launch_shared_weighted(job);
    LAUNCH((fused_weighted<T>),
           grid_over(job->src.width, job->src.height, dim3(WEIGHTED_X, WEIGHTED_Y)),
           dim3(WEIGHTED_X, WEIGHTED_WARPS), bytes, job->stream, job->src, job->dst,
           weights_of(job));
    return launched();
}

#endif
