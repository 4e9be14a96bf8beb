/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Idea:         sums each window directly, with a thread for each sample of the result. The lanes
 *               of a warp take neighbouring rows, since threadIdx.x gives the row.
 * Fixes:        nothing: it is the first and simplest of the GPU variants.
 * Still slow:   the lanes' addresses are a row apart: each lane's load fetches a sector (32 bytes)
 *               of its own, of which it uses one sample. The stores scatter in the same way. */
/* clang-format on */
#include "kernels/smooth/direct.cuh"

template <typename T, bool WEIGHTED, class Filter>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS, WEIGHTED ? 1 : 2)
    smooth_naive(const source src, const view dst, const __grid_constant__ Filter filter)
{
    const int64_t samples = src.width * src.channels;
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (row >= src.height)
        return;
    for (int64_t column = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; column < samples;
         column += (int64_t)gridDim.y * blockDim.y)
        row_of<T>(dst, row)[column] =
            (T)smooth_direct_result<T, WEIGHTED>(src, filter, row, column);
}

static const char *run(const struct piece *piece)
{
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.height, piece->src.width * piece->src.channels, block);

    return LAUNCH_DIRECT(smooth_naive, grid, block, piece);
}

static const struct engine engine = {.name = "naive", .refuses = refuses_direct, .run = run};

DEFINE_VARIANT(smooth_naive) = {
    .op = OP_SMOOTH,
    .name = "naive",
    .backend = ON_GPU,
    .description = "one thread a sample, a warp down a column",
    .engines = &engine,
    .count = 1,
};
