/* SPDX-License-Identifier: MIT */
/* Idea:         sums each window directly, with a thread for each sample of the result. The lanes
 *               of a warp take neighbouring columns.
 * Fixes:        naive.cu's scattered accesses: the loads of a warp's lanes now share sectors (of 32
 *               bytes), and so do their stores.
 * Still slow:   every sample is loaded and converted (2 halo + 1)^2 times, once for each window
 *               that it is in. */
#include "kernels/smooth/direct.cuh"

template <typename T, bool WEIGHTED, class Filter>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS, WEIGHTED ? 1 : 2)
    smooth_coalesced(const source src, const view dst, const __grid_constant__ Filter filter)
{
    const int64_t samples = src.width * src.channels;
    const int64_t column = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (column >= samples)
        return;
    for (int64_t row = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; row < src.height;
         row += (int64_t)gridDim.y * blockDim.y)
        row_of<T>(dst, row)[column] =
            (T)smooth_direct_result<T, WEIGHTED>(src, filter, row, column);
}

static const char *run(const struct piece *piece)
{
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.width * piece->src.channels, piece->src.height, block);

    return LAUNCH_DIRECT(smooth_coalesced, grid, block, piece);
}

static const struct engine engine = {.name = "coalesced", .refuses = refuses_direct, .run = run};

DEFINE_VARIANT(smooth_coalesced) = {
    .op = OP_SMOOTH,
    .name = "coalesced",
    .backend = ON_GPU,
    .description = "one thread a sample, a warp along a row",
    .engines = &engine,
    .count = 1,
};
