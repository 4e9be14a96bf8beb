/* SPDX-License-Identifier: MIT */
/* The kernel of smooth/shared.cu and smooth/tiled.cu for images whose colours alpha weights. A
 * block computes the channels of its tile one by one, alpha first; its threads keep alpha's totals,
 * by which the colours' totals are divided. For a colour, a tile holds alpha times the colour:
 * 16-bit samples need one tile for the lower half of the product and one for the upper half. */
#ifndef SMOOTHIMG_SMOOTH_SHARED_WEIGHTED_CUH
#define SMOOTHIMG_SMOOTH_SHARED_WEIGHTED_CUH

#include "kernels/common/mean.cuh"
#include "kernels/smooth/shared/tile.cuh"

template <typename T>
__device__ __forceinline__ void store_means(const uint128 (&colours)[COLUMNS],
                                            const uint128 (&cover)[COLUMNS], const source &src,
                                            const view &dst, int64_t x, int64_t y, int32_t channel)
{
    if (y >= dst.height)
        return;
    for (int i = 0; i < COLUMNS; i++)
        if (x + i < dst.width)
            row_of<T>(dst, y)[(x + i) * dst.channels + channel] =
                (T)(exact_is_zero(cover[i])
                        ? row_of<const T>(src, y)[(x + i) * src.channels + channel]
                        : mean_of(colours[i], cover[i]));
}

/* Computes one colour of the tile whose first output is (x, y): its totals divided by `cover`, the
 * totals of alpha. */
template <typename T, int HALO, class Filter>
__device__ __forceinline__ void smooth_colour(uint32_t *tile, int tile_rows, const source &src,
                                              const view &dst, const Filter &filter, int64_t x,
                                              int64_t y, int32_t channel,
                                              const uint128 (&cover)[COLUMNS])
{
    uint128 totals[COLUMNS] = {}, upper[COLUMNS] = {};

    sum_tile<T, HALO, TILE_LOWER>(totals, tile, tile_rows, src, filter, x, y, channel);
    if (sizeof(T) > 1) {
        sum_tile<T, HALO, TILE_UPPER>(upper, tile, tile_rows, src, filter, x, y, channel);
        for (int i = 0; i < COLUMNS; i++)
            totals[i] += upper[i] << 16;
    }
    store_means<T>(totals, cover, src, dst, x + COLUMNS * threadIdx.x, y + threadIdx.y, channel);
}

template <typename T, int HALO, class Filter>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 2)
    smooth_shared_weighted(const source src, const view dst, const __grid_constant__ Filter filter,
                           const int tile_rows)
{
    DYN_SHARED(uint32_t, tile);
    const int64_t x = (int64_t)blockIdx.x * TILE_X;

    for (int64_t y = (int64_t)blockIdx.y * BLOCK_Y; y < src.height;
         y += (int64_t)gridDim.y * BLOCK_Y) {
        uint128 cover[COLUMNS] = {};

        sum_tile<T, HALO>(cover, tile, tile_rows, src, filter, x, y, src.channels - 1);
        store<T>(cover, dst, filter.x().maxval, x + COLUMNS * threadIdx.x, y + threadIdx.y,
                 src.channels - 1);
        for (int32_t channel = 0; channel < src.channels - 1; channel++)
            smooth_colour<T, HALO>(tile, tile_rows, src, dst, filter, x, y, channel, cover);
    }
}

template <typename T, int HALO, class Filter = equal_axes>
static const char *launch_means(const struct piece *piece)
{
    const tile_size size = tile_size_of(piece);

    LAUNCH((smooth_shared_weighted<T, HALO, Filter>),
           grid_over(piece->src.width, piece->src.height, dim3(TILE_X, BLOCK_Y)),
           dim3(BLOCK_X, BLOCK_Y), (size_t)(size.rows * size.row_bytes), piece->stream,
           source_of(piece), piece->dst, filter_of<Filter>(piece->request), size.rows);
    return launched();
}

/* The default halo, 4, has a kernel of its own. */
template <typename T> static const char *launch_means_for_halo(const struct piece *piece)
{
    if (!axes_are_equal(piece->request))
        return launch_means<T, 0, two_axes>(piece);
    return halo_of_kernel(piece) == 4 ? launch_means<T, 4>(piece) : launch_means<T, 0>(piece);
}

static inline const char *launch_shared_weighted(const struct piece *piece)
{
    return piece->src.sample_bytes == 1 ? launch_means_for_halo<uint8_t>(piece)
                                        : launch_means_for_halo<uint16_t>(piece);
}

#endif
