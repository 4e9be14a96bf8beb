/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         a square tile in shared memory: a block reads rows of the source and writes rows of
 *               the target.
 * Fixes:        naive.cu's scattered stores.
 * Still slow:   bank conflicts. In a tile of 32 x 32 elements, the elements of a column lie in one
 *               to four of the 32 banks. So a warp's read down a column takes 8 to 32 accesses. */
// clang-format on
#include "kernels/transpose/tile.cuh"

template <typename T>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    transpose_coalesced(const view src, const view dst, const int32_t per_pixel)
{
    DYN_SHARED(T, tile);

    transpose_tiles<T>(src, dst, per_pixel, tile, blockDim.x, blockDim.x);
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const dim3 block = square_block(piece, 32);
    const dim3 grid = tile_grid(piece, elements.per_pixel, block.x);
    const size_t shared_bytes = (size_t)block.x * block.x * elements.bytes;

    LAUNCH_FOR_ELEMENTS(transpose_coalesced, elements.bytes, grid, block, shared_bytes,
                        piece->stream, piece->src, piece->dst, elements.per_pixel);
    return launched();
}

static const struct engine engine = {.name = "coalesced", .refuses = refuses_block, .run = run};

DEFINE_VARIANT(transpose_coalesced) = {
    .op = OP_TRANSPOSE,
    .name = "coalesced",
    .backend = ON_GPU,
    .description = "a tile in shared memory: rows read, rows written",
    .engines = &engine,
    .count = 1,
};
