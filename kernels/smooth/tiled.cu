/* SPDX-License-Identifier: MIT */
// clang-format off
/* Idea:         a block loads the tile that its outputs need, with its halo, into shared memory
 *               once; each thread then sums one sample's window from there.
 * Fixes:        coalesced.cu's (2 halo + 1)^2 fetches of every sample from global memory: a block
 *               of 32 x 8 outputs fetches (32 + 2 halo) (8 + 2 halo) samples, each once.
 * Still slow:   every thread loads and converts its whole window from shared memory, although its
 *               neighbour's window has the same columns except one: shared.cu keeps samples in
 *               registers.
 *               On an H200 it takes only a fifth less time than coalesced.cu (8192 x 8192 pixels,
 *               halo 4), whose fetches are already served by the first-level cache for the most
 *               part. */
// clang-format on
#include "kernels/smooth/shared/weighted.cuh" /* for colours weighted by alpha */

/* Loads one channel of rows y..y+rows-1 of src into the tile: BLOCK_X + 2 halo_x columns, of which
 * column x is the first. */
template <typename T>
__device__ void fetch_tile(T *tile, const source &src, int halo_x, int64_t x, int64_t y, int rows,
                           int32_t channel)
{
    const int pitch = BLOCK_X + 2 * halo_x;

    for (int r = threadIdx.y; r < rows; r += BLOCK_Y) {
        const T *line = source_line<T>(src, y + r);

        for (int c = threadIdx.x; c < pitch; c += BLOCK_X) {
            const T *sample = source_at(src, line, x + c, channel);

            tile[r * pitch + c] = sample ? *sample : 0;
        }
    }
}

/* Returns the weighted sum of one row of the window. taps: the window's first sample in that
 * row. */
template <typename T>
__device__ __forceinline__ uint64_t sum_taps(const weights &along, const T *taps)
{
    uint64_t sum = 0;

    for (int j = -along.halo; j <= along.halo; j++)
        sum += weight_at(along, j) * taps[along.halo + j];
    return sum;
}

/* Returns the weighted sum over the window of the calling thread's output; the block's first output
 * is at (x, y). If the tile exceeds shared memory, it is loaded in chunks of chunk_rows rows; at
 * the usual halos one chunk is enough. */
template <typename T, class Filter>
__device__ uint128 sum_tiled(T *tile, int chunk_rows, const source &src, const Filter &filter,
                             int64_t x, int64_t y, int32_t channel)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo, pitch = BLOCK_X + 2 * halo_x;
    const int end = BLOCK_Y + halo_y, mine = threadIdx.y; /* rows, counted from y: the end of the
                                                             tile, and this thread's output */
    const bool inside = x + threadIdx.x < src.width && y + mine < src.height;
    uint128 total = 0;

    for (int first = -halo_y; first < end; first += chunk_rows) {
        const int rows = min(chunk_rows, end - first);
        const int last = inside ? min(halo_y, first + rows - 1 - mine) : -halo_y - 1;

        fetch_tile(tile, src, halo_x, x - halo_x, y + first, rows, channel);
        __syncthreads();
        for (int i = max(-halo_y, first - mine); i <= last; i++) {
            const uint64_t sum =
                sum_taps(filter.x(), tile + (mine + i - first) * pitch + threadIdx.x);

            total += (uint128)weight_at(filter.y(), i) * sum;
        }
        __syncthreads(); /* before the next chunk overwrites this one */
    }
    return total;
}

template <typename T, class Filter>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 8)
    smooth_tiled(const source src, const view dst, const __grid_constant__ Filter filter,
                 const int chunk_rows)
{
    const int64_t x = (int64_t)blockIdx.x * BLOCK_X, column = x + threadIdx.x;
    DYN_SHARED(T, tile);

    for (int32_t channel = blockIdx.z; channel < src.channels; channel += gridDim.z)
        for (int64_t y = (int64_t)blockIdx.y * BLOCK_Y; y < src.height;
             y += (int64_t)gridDim.y * BLOCK_Y) {
            const uint128 total = sum_tiled(tile, chunk_rows, src, filter, x, y, channel);
            const int64_t row = y + threadIdx.y;

            if (column < dst.width && row < dst.height)
                row_of<T>(dst, row)[column * dst.channels + channel] =
                    (T)exact_round(total, filter.x().maxval);
        }
}

template <typename T, class Filter> static const char *launch(const struct piece *piece)
{
    const int row_bytes = (BLOCK_X + 2 * (int)piece->request->halo_x) * (int)sizeof(T);
    const int rows = min(BLOCK_Y + 2 * (int)piece->request->halo_y, MOST_SHARED_BYTES / row_bytes);
    dim3 grid = grid_over(piece->src.width, piece->src.height, dim3(BLOCK_X, BLOCK_Y));

    grid.z = blocks_down(piece->src.channels);
    LAUNCH((smooth_tiled<T, Filter>), grid, dim3(BLOCK_X, BLOCK_Y), (size_t)(rows * row_bytes),
           piece->stream, source_of(piece), piece->dst, filter_of<Filter>(piece->request), rows);
    return launched();
}

static const char *run(const struct piece *piece)
{
    if (piece->request->weighted)
        return launch_shared_weighted(piece);
    return with_samples(piece, [&]<typename T, bool>() {
        return with_filter(piece->request,
                           [&]<class Filter>() { return launch<T, Filter>(piece); });
    });
}

static const struct engine engine = {.name = "tiled", .refuses = refuses_floats, .run = run};

DEFINE_VARIANT(smooth_tiled) = {
    .op = OP_SMOOTH,
    .name = "tiled",
    .backend = ON_GPU,
    .description = "a tile with halo in shared memory, one a thread",
    .engines = &engine,
    .count = 1,
};
