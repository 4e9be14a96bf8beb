/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         tiled.cu's tile, whose samples are converted to 32 bits when they are loaded. A
 *               thread computes four outputs side by side, whose windows overlap: it keeps the
 *               samples of a row in registers and multiplies each by four weights.
 * Fixes:        tiled.cu's (2 halo + 1)^2 loads and conversions of every sample from shared memory:
 *               a thread loads each sample once for its four outputs, and four samples in one
 *               access. What is left is the arithmetic: two integer multiply-adds for each tap of
 *               each window.
 * Still slow:   it sums each window directly. The two-dimensional Gaussian is separable:
 *               separable.cu does 2 (2 halo + 1) taps where this does (2 halo + 1)^2, and fused.cu
 *               also keeps the sums between the two passes on the chip. */
// clang-format on
#include "kernels/smooth/shared/tile.cuh"
/* weighted.cuh includes tile.cuh too. It is included second, so that tests can put a faulty
 * tile.cuh in place of the #include above. */
#include "kernels/smooth/shared/weighted.cuh"

/* Computes BLOCK_Y rows of TILE_X outputs of one channel; (x, y) is the first output. `tile` has
 * room for tile_rows rows of the source. HALO is the halo, or 0 if it is not known at compile
 * time. */
template <typename T, int HALO, class Filter>
__device__ __forceinline__ void smooth_tile(uint32_t *tile, int tile_rows, const source &src,
                                            const view &dst, const Filter &filter, int64_t x,
                                            int64_t y, int32_t channel)
{
    uint128 totals[COLUMNS] = {};

    sum_tile<T, HALO>(totals, tile, tile_rows, src, filter, x, y, channel);
    store<T>(totals, dst, filter.x().maxval, x + COLUMNS * threadIdx.x, y + threadIdx.y, channel);
}

template <typename T, int HALO, class Filter>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 4)
    smooth_shared(const source src, const view dst, const __grid_constant__ Filter filter,
                  const int tile_rows)
{
    DYN_SHARED(uint32_t, tile);

    for (int32_t channel = blockIdx.z; channel < src.channels; channel += gridDim.z)
        for (int64_t y = (int64_t)blockIdx.y * BLOCK_Y; y < src.height;
             y += (int64_t)gridDim.y * BLOCK_Y)
            smooth_tile<T, HALO>(tile, tile_rows, src, dst, filter, (int64_t)blockIdx.x * TILE_X, y,
                                 channel);
}

template <typename T, int HALO, class Filter = equal_axes>
static const char *launch(const struct piece *piece)
{
    const tile_size size = tile_size_of(piece);
    dim3 grid = grid_over(piece->src.width, piece->src.height, dim3(TILE_X, BLOCK_Y));

    grid.z = blocks_down(piece->src.channels);
    LAUNCH((smooth_shared<T, HALO, Filter>), grid, dim3(BLOCK_X, BLOCK_Y),
           (size_t)(size.rows * size.row_bytes), piece->stream, source_of(piece), piece->dst,
           filter_of<Filter>(piece->request), size.rows);
    return launched();
}

/* The most common halos have kernels of their own, in which the loops over taps are unrolled: each
 * multiplication then takes its weight directly from constant memory. */
template <typename T> static const char *launch_for_halo(const struct piece *piece)
{
    if (!axes_are_equal(piece->request))
        return launch<T, 0, two_axes>(piece);
    switch (halo_of_kernel(piece)) {
    case 1:
        return launch<T, 1>(piece);
    case 2:
        return launch<T, 2>(piece);
    case 3:
        return launch<T, 3>(piece);
    case 4:
        return launch<T, 4>(piece);
    case 6:
        return launch<T, 6>(piece);
    case 8:
        return launch<T, 8>(piece);
    default:
        return launch<T, 0>(piece);
    }
}

static const char *run(const struct piece *piece)
{
    if (piece->request->weighted)
        return launch_shared_weighted(piece);
    return piece->src.sample_bytes == 1 ? launch_for_halo<uint8_t>(piece)
                                        : launch_for_halo<uint16_t>(piece);
}

static const struct engine engine = {.name = "shared", .refuses = refuses_floats, .run = run};

DEFINE_VARIANT(smooth_shared) = {
    .op = OP_SMOOTH,
    .name = "shared",
    .backend = ON_GPU,
    .description = "such a tile, four samples a thread in registers",
    .engines = &engine,
    .count = 1,
};
