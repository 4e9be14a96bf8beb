/* SPDX-License-Identifier: MIT */
/* Idea:         the definition, one thread a sample; neighbouring lanes of a warp take
 *               neighbouring columns.
 * Mends:        naive's scattered accesses: a warp's loads now share sectors, its stores too.
 * Still slow:   every sample is loaded and converted (2 halo + 1)^2 times, once for each window
 *               that it is in. */
#include "kernels/common/launch.cuh"
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

template <typename T, bool WEIGHTED, class Filter>
static const char *launch(const struct piece *piece)
{
    const dim3 block = square_block(piece, 32);
    const dim3 grid = grid_over(piece->src.width * piece->src.channels, piece->src.height, block);

    LAUNCH((smooth_coalesced<T, WEIGHTED, Filter>), grid, block, 0, piece->stream, source_of(piece),
           piece->dst, filter_of<Filter>(piece->request));
    return launched();
}

template <typename T, class Filter> static const char *launch_for_alpha(const struct piece *piece)
{
    return piece->request->weighted ? launch<T, true, Filter>(piece)
                                    : launch<T, false, Filter>(piece);
}

template <class Filter> static const char *launch_for_depth(const struct piece *piece)
{
    return piece->src.sample_bytes == 1 ? launch_for_alpha<uint8_t, Filter>(piece)
                                        : launch_for_alpha<uint16_t, Filter>(piece);
}

static const char *run(const struct piece *piece)
{
    return axes_are_equal(piece->request) ? launch_for_depth<equal_axes>(piece)
                                          : launch_for_depth<two_axes>(piece);
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
