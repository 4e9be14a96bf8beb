/* SPDX-License-Identifier: MIT */
/* Idea:         one thread for each element, a warp along a row of the source.
 * Fixes:        nothing: it is the first and simplest of the GPU variants.
 * Still slow:   the loads of a warp share sectors (of 32 bytes), but the elements that it stores
 *               are a row apart: every element is written to a sector of its own. */
#include "kernels/common/elements.cuh"

/* An element is a whole pixel, or one sample of it (common/elements.cuh); a pixel has per_pixel
 * elements. Element e of row y is channel e % per_pixel of pixel e / per_pixel. */
template <typename T>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    transpose_naive(const view src, const view dst, const int32_t per_pixel)
{
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t x = e / per_pixel, channel = e % per_pixel;

    if (x >= src.width)
        return;
    for (int64_t y = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; y < src.height;
         y += (int64_t)gridDim.y * blockDim.y)
        row_of<T>(dst, x)[y * per_pixel + channel] = row_of<const T>(src, y)[e];
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.width * elements.per_pixel, piece->src.height, block);

    LAUNCH_FOR_ELEMENTS(transpose_naive, elements.bytes, grid, block, 0, piece->stream, piece->src,
                        piece->dst, elements.per_pixel);
    return launched();
}

static const struct engine engine = {.name = "naive", .refuses = refuses_block, .run = run};

DEFINE_VARIANT(transpose_naive) = {
    .op = OP_TRANSPOSE,
    .name = "naive",
    .backend = ON_GPU,
    .description = "one thread an element: rows read, columns written",
    .engines = &engine,
    .count = 1,
};
