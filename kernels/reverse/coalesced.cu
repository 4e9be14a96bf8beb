/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         one thread for each element (a whole pixel, or one sample of it), a warp along a
 *               row; the warp stores backwards.
 * Fixes:        naive.cu's scattered loads and stores: neighbouring lanes share sectors (of 32
 *               bytes). A warp stores backwards, but on GPUs since about 2010 the order of lanes
 *               in a sector makes no difference.
 * Still slow:   an access moves one element for each lane. If a row is no whole number of sectors
 *               long, a warp's stores begin and end inside a sector. */
// clang-format on
#include "kernels/common/elements.cuh"

template <typename T>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    reverse_coalesced(const view src, const view dst, const int32_t per_pixel)
{
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t x = e / per_pixel, channel = e % per_pixel;

    if (x >= src.width)
        return;
    for (int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; y < src.height;
         y += (int64_t)gridDim.y * blockDim.y)
        row_of<T>(dst, src.height - 1 - y)[(src.width - 1 - x) * per_pixel + channel] =
            row_of<const T>(src, y)[e];
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.width * elements.per_pixel, piece->src.height, block);

    LAUNCH_FOR_ELEMENTS(reverse_coalesced, elements.bytes, grid, block, 0, piece->stream,
                        piece->src, piece->dst, elements.per_pixel);
    return launched();
}

static const struct engine engine = {.name = "coalesced", .refuses = refuses_block, .run = run};

DEFINE_VARIANT(reverse_coalesced) = {
    .op = OP_REVERSE,
    .name = "coalesced",
    .backend = ON_GPU,
    .description = "rows read forwards, written backwards",
    .engines = &engine,
    .count = 1,
};
