/* SPDX-License-Identifier: MIT */
/* Idea:         one thread for each element (a whole pixel, or one sample of it); the lanes of a
 *               warp go down a column.
 * Fixes:        nothing: it is the first and simplest of the GPU variants.
 * Still slow:   the lanes' addresses are a row apart, so each element is loaded from a sector (of
 *               32 bytes) of its own, and stored in a sector of its own. */
#include "kernels/common/elements.cuh"

template <typename T>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    reverse_naive(const view src, const view dst, const int32_t per_pixel)
{
    const int64_t y = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t elements = src.width * per_pixel;

    if (y >= src.height)
        return;
    for (int64_t e = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; e < elements;
         e += (int64_t)gridDim.y * blockDim.y) {
        const int64_t x = e / per_pixel, channel = e % per_pixel;

        row_of<T>(dst, src.height - 1 - y)[(src.width - 1 - x) * per_pixel + channel] =
            row_of<const T>(src, y)[e];
    }
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.height, piece->src.width * elements.per_pixel, block);

    LAUNCH_FOR_ELEMENTS(reverse_naive, elements.bytes, grid, block, 0, piece->stream, piece->src,
                        piece->dst, elements.per_pixel);
    return launched();
}

static const struct engine engine = {.name = "naive", .refuses = refuses_block, .run = run};

DEFINE_VARIANT(reverse_naive) = {
    .op = OP_REVERSE,
    .name = "naive",
    .backend = ON_GPU,
    .description = "one thread an element, a warp down a column",
    .engines = &engine,
    .count = 1,
};
