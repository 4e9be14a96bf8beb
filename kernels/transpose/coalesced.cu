/* SPDX-License-Identifier: MIT */
/* Idea:         a square tile in shared memory: rows are read from the source, rows written to the
 *               target.
 * Mends:        naive's scattered stores.
 * Still slow:   the tile's rows are as far apart as the banks of shared memory repeat: a warp that
 *               reads down a column of it finds its lanes in a few banks, one after another. */
#include "kernels/transpose/tile.cuh"

template <typename T>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    transpose_coalesced(const view src, const view dst, const int32_t per_pixel)
{
    DYN_SHARED(T, tile);

    transpose_tiles<T>(src, dst, per_pixel, tile, blockDim.x, blockDim.x);
}

static const char *run(const struct job *job)
{
    const struct elements elements = elements_of(job);
    const dim3 block = square_block(job, 32);
    const dim3 grid = tile_grid(job, elements.per_pixel, block.x);
    const size_t shared_bytes = (size_t)block.x * block.x * elements.bytes;

    LAUNCH_FOR_ELEMENTS(transpose_coalesced, elements.bytes, grid, block, shared_bytes, job->stream,
                        job->src, job->dst, elements.per_pixel);
    return launched();
}

DEFINE_VARIANT(transpose_coalesced) = {
    .op = OP_TRANSPOSE,
    .name = "coalesced",
    .backend = ON_GPU,
    .reference = false,
    .description = "a tile in shared memory: rows read, rows written",
    .refuses = refuses_block,
    .scratch_bytes = NULL,
    .run = run,
    .src_phase = NULL,
};
