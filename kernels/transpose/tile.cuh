/* SPDX-License-Identifier: MIT */
/* The tile of transpose_coalesced and transpose_shared: a square of elements (whole pixels, or
 * one sample of each) in shared memory. A thread block reads the square along the rows of the
 * source, and writes it along the rows of the target, so both the loads and the stores of a warp
 * share sectors. To write a row of the target, a warp reads a column of the tile. The tile's pitch,
 * by which the variants differ, decides in how many banks a column lies. */
#ifndef SMOOTHIMG_TRANSPOSE_TILE_CUH
#define SMOOTHIMG_TRANSPOSE_TILE_CUH

#include "kernels/common/elements.cuh"

/* Transposes element `channel` of each pixel of the tile whose corner is source pixel (x, y) and
 * whose edge is `edge` pixels. All threads of the block call it; blockDim.x is the edge, and
 * blockDim.y divides it. pitch: elements from one row of the tile to the next. */
template <typename T>
__device__ __forceinline__ void transpose_tile(const view &src, const view &dst, int64_t x,
                                               int64_t y, int32_t per_pixel, int32_t channel,
                                               T *tile, int edge, int pitch)
{
    const int64_t read_x = x + threadIdx.x, write_x = y + threadIdx.x;

    for (int i = threadIdx.y; i < edge; i += blockDim.y)
        if (read_x < src.width && y + i < src.height)
            tile[i * pitch + threadIdx.x] =
                row_of<const T>(src, y + i)[read_x * per_pixel + channel];
    __syncthreads();
    for (int i = threadIdx.y; i < edge; i += blockDim.y)
        if (write_x < dst.width && x + i < dst.height)
            row_of<T>(dst, x + i)[write_x * per_pixel + channel] = tile[threadIdx.x * pitch + i];
    __syncthreads(); /* before the next tile overwrites this one */
}

/* Transposes all tiles. blockIdx.x is the column of tiles, blockIdx.y the row of tiles, blockIdx.z
 * the channel. The grid may be too small in y or z; then a block computes several rows of tiles or
 * several channels. */
template <typename T>
__device__ __forceinline__ void transpose_tiles(const view &src, const view &dst, int32_t per_pixel,
                                                T *tile, int edge, int pitch)
{
    for (int32_t channel = blockIdx.z; channel < per_pixel; channel += gridDim.z)
        for (int64_t y = (int64_t)blockIdx.y * edge; y < src.height; y += (int64_t)gridDim.y * edge)
            transpose_tile<T>(src, dst, (int64_t)blockIdx.x * edge, y, per_pixel, channel, tile,
                              edge, pitch);
}

static inline dim3 tile_grid(const struct piece *piece, int32_t per_pixel, int edge)
{
    const dim3 square(edge, edge);
    dim3 grid = grid_over(piece->src.width, piece->src.height, square);

    grid.z = blocks_down(per_pixel);
    return grid;
}

#endif
