/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         the tile of transpose_coalesced with padded rows: each row is four bytes longer
 *               than its elements, or one element longer if an element has more than four bytes.
 * Fixes:        coalesced.cu's bank conflicts: the elements of a column now lie in 32 different
 *               banks. And a thread moves four elements, whose loads overlap.
 * Still slow:   a lane moves one element at a time. With bytes an access of a warp is 32 bytes,
 *               where it could be 512. */
// clang-format on
#include "kernels/transpose/tile.cuh"

#define EDGE 32
#define ROWS 8 /* rows of threads: each thread moves EDGE / ROWS elements */

template <typename T>
__global__ void __launch_bounds__(EDGE *ROWS)
    transpose_shared(const view src, const view dst, const int32_t per_pixel)
{
    /* With elements of 1, 2 or 4 bytes a row has 9, 17 or 33 words of 4 bytes; with elements of 8
     * bytes it has 33 of 8 bytes. These numbers are odd, so that a column lies in 32 banks. */
    constexpr int pitch = EDGE + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
    __shared__ T tile[EDGE * pitch];

    transpose_tiles<T>(src, dst, per_pixel, tile, EDGE, pitch);
}

static const char *run(const struct piece *piece)
{
    const struct elements elements = elements_of(piece->src, piece->dst);
    const dim3 grid = tile_grid(piece, elements.per_pixel, EDGE);
    const dim3 block(EDGE, ROWS);

    LAUNCH_FOR_ELEMENTS(transpose_shared, elements.bytes, grid, block, 0, piece->stream, piece->src,
                        piece->dst, elements.per_pixel);
    return launched();
}

static const struct engine engine = {.name = "shared", .run = run};

DEFINE_VARIANT(transpose_shared) = {
    .op = OP_TRANSPOSE,
    .name = "shared",
    .backend = ON_GPU,
    .description = "the tile padded: no bank conflicts",
    .engines = &engine,
    .count = 1,
};
