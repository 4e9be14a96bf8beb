/* SPDX-License-Identifier: MIT */
/* Idea:         a block fetches the tile that its outputs need once, halo and all, and converts it
 *               once; a thread makes four outputs side by side, whose windows overlap: it keeps the
 *               samples of a row in registers, and multiplies each with four weights.
 * Mends:        coalesced's (2 halo + 1)^2 fetches and conversions of every sample. What is left is
 *               the arithmetic of the definition: two integer multiply-adds for each tap.
 * Still slow:   it is the direct sum. The two-dimensional Gaussian is a product of two lines, and
 *               a separable kernel does 2 (2 halo + 1) taps where this does (2 halo + 1)^2. */
#include "launch.cuh"
#include "weights.cuh"

#define COLUMNS 4 /* outputs of a thread, side by side */
#define BLOCK_X 32
#define BLOCK_Y 8
#define TILE_X (COLUMNS * BLOCK_X)    /* outputs of a block in a row */
#define MOST_SHARED_BYTES (48 * 1024) /* what every GPU gives a block without being asked */

/* Samples in a row of the tile: the outputs, the halos, and up to the next multiple of four those
 * that are fetched with them and not used. */
__host__ __device__ static inline int pitch_of(int halo)
{
    return TILE_X + (2 * halo + 3) / 4 * 4 + 4;
}

/* A row sum of weights of 48 bits and samples of 16, in two registers that never carry into one
 * another: the weights' upper 16 bits sum to less than 2^16, so `upper` stays below 2^32. */
struct row_sum {
    uint64_t lower; /* of the weights' lower 32 bits */
    uint32_t upper; /* of their upper 16 */
};

/* Adds taps first..first+COUNT-1 of a row, counted from the left end of the window, to the four
 * sums; near holds the sample of the first of them for the first output, and those to its right.
 * HALO is the halo, or 0: it is known at run time only. */
template <int HALO, int COUNT>
__device__ __forceinline__ void add_taps(row_sum (&sums)[COLUMNS], const weights &weights,
                                         int first, const uint32_t (&near)[2 * COLUMNS])
{
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        const int k = first + j - (HALO ? HALO : weights.halo);
        const int distance = k < 0 ? -k : k;

#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            sums[i].lower += (uint64_t)weights.lower[distance] * near[i + j];
            sums[i].upper += weights.upper[distance] * near[i + j];
        }
    }
}

__device__ __forceinline__ void load_four(uint32_t *near, const uint32_t *samples)
{
    const uint4 four = *reinterpret_cast<const uint4 *>(samples); /* 16 bytes in one access */

    near[0] = four.x;
    near[1] = four.y;
    near[2] = four.z;
    near[3] = four.w;
}

/* The four row sums of one row of the window. samples: of the first tap of the first output. HALO
 * is the halo, or 0: it is known at run time only. */
template <int HALO>
__device__ __forceinline__ void sum_row(uint64_t (&row)[COLUMNS], const weights &weights,
                                        const uint32_t *samples)
{
    const int taps = 2 * (HALO ? HALO : weights.halo) + 1;
    row_sum sums[COLUMNS] = {};
    uint32_t near[2 * COLUMNS];
    int j = 0;

    load_four(near, samples);
#pragma unroll
    for (; j + COLUMNS <= taps; j += COLUMNS) {
        load_four(near + COLUMNS, samples + j + COLUMNS);
        add_taps<HALO, COLUMNS>(sums, weights, j, near);
        for (int i = 0; i < COLUMNS; i++)
            near[i] = near[COLUMNS + i];
    }
    load_four(near + COLUMNS, samples + j + COLUMNS);
    if (taps - j == 1) /* the number of taps is odd */
        add_taps<HALO, 1>(sums, weights, j, near);
    else
        add_taps<HALO, 3>(sums, weights, j, near);
    for (int i = 0; i < COLUMNS; i++)
        row[i] = sums[i].lower + ((uint64_t)sums[i].upper << 32);
}

/* Fetches rows y..y+rows-1 of the block's tile, columns from x on; 0 beyond the border. */
template <typename T>
__device__ __forceinline__ void fetch(uint32_t *tile, int pitch, const view &src, int halo,
                                      int64_t x, int64_t y, int rows, int32_t channel)
{
    for (int r = threadIdx.y; r < rows; r += BLOCK_Y) {
        const T *row = row_of<const T>(src, y + r) + x * src.channels + channel;
        const bool there = y + r < src.height + halo;

        for (int c = threadIdx.x; c < pitch; c += BLOCK_X)
            tile[r * pitch + c] =
                there && x + c < src.width + halo ? row[(int64_t)c * src.channels] : 0;
    }
}

/* The four totals of a thread whose window is in the tile at once, `window` being its first sample.
 * Rows at the same distance from the centre share a weight: their sums (below 2^63 together) are
 * added before the wide multiplication. */
template <int HALO>
__device__ __forceinline__ void sum_window(uint128 (&totals)[COLUMNS], const weights &weights,
                                           const uint32_t *window)
{
    const int halo = HALO ? HALO : weights.halo;
    const int pitch = pitch_of(halo);

    for (int i = 0; i <= halo; i++) {
        uint64_t above[COLUMNS], below[COLUMNS] = {};

        sum_row<HALO>(above, weights, window + (halo - i) * pitch);
        if (i > 0)
            sum_row<HALO>(below, weights, window + (halo + i) * pitch);
        for (int c = 0; c < COLUMNS; c++)
            totals[c] += (uint128)weight_at(weights, i) * (above[c] + below[c]);
    }
}

/* The same where shared memory does not hold the tile: it comes in chunks of rows, and each is used
 * before the next is fetched. (x, y) is the block's first output. */
template <typename T>
__device__ __forceinline__ void sum_chunks(uint128 (&totals)[COLUMNS], uint32_t *tile,
                                           int chunk_rows, const view &src, const weights &weights,
                                           int64_t x, int64_t y, int32_t channel)
{
    const int halo = weights.halo, pitch = pitch_of(halo);
    const int end = BLOCK_Y + halo; /* rows are counted from y */
    const int mine = threadIdx.y;

    for (int first = -halo; first < end; first += chunk_rows) {
        const int rows = min(chunk_rows, end - first);
        const int from = max(-halo, first - mine), to = min(halo, first + rows - 1 - mine);

        fetch<T>(tile, pitch, src, halo, x - halo, y + first, rows, channel);
        __syncthreads();
        for (int i = from; i <= to; i++) {
            uint64_t row[COLUMNS];

            sum_row<0>(row, weights, tile + (mine + i - first) * pitch + COLUMNS * threadIdx.x);
            for (int c = 0; c < COLUMNS; c++)
                totals[c] += (uint128)weight_at(weights, i) * row[c];
        }
        __syncthreads(); /* before the next chunk takes its place */
    }
}

template <typename T>
__device__ __forceinline__ void store(const uint128 (&totals)[COLUMNS], const view &dst,
                                      uint32_t maxval, int64_t x, int64_t y, int32_t channel)
{
    if (y >= dst.height)
        return;
    for (int i = 0; i < COLUMNS; i++)
        if (x + i < dst.width)
            row_of<T>(dst, y)[(x + i) * dst.channels + channel] = (T)exact_round(totals[i], maxval);
}

/* One tile: BLOCK_Y rows of TILE_X outputs of one channel, from (x, y). */
template <typename T, int HALO>
__device__ __forceinline__ void smooth_tile(uint32_t *tile, int tile_rows, const view &src,
                                            const view &dst, const weights &weights, int64_t x,
                                            int64_t y, int32_t channel)
{
    const int halo = HALO ? HALO : weights.halo, pitch = pitch_of(halo);
    const int rows = BLOCK_Y + 2 * halo;
    uint128 totals[COLUMNS] = {};

    if (HALO == 0 && tile_rows < rows) {
        sum_chunks<T>(totals, tile, tile_rows, src, weights, x, y, channel);
    } else {
        fetch<T>(tile, pitch, src, halo, x - halo, y - halo, rows, channel);
        __syncthreads();
        sum_window<HALO>(totals, weights, tile + threadIdx.y * pitch + COLUMNS * threadIdx.x);
        __syncthreads(); /* before the next tile takes its place */
    }
    store<T>(totals, dst, weights.maxval, x + COLUMNS * threadIdx.x, y + threadIdx.y, channel);
}

template <typename T, int HALO>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y, 4)
    smooth_shared(const view src, const view dst, const __grid_constant__ weights weights,
                  const int tile_rows)
{
    DYN_SHARED(uint32_t, tile);

    for (int32_t channel = blockIdx.z; channel < src.channels; channel += gridDim.z)
        for (int64_t y = (int64_t)blockIdx.y * BLOCK_Y; y < src.height;
             y += (int64_t)gridDim.y * BLOCK_Y)
            smooth_tile<T, HALO>(tile, tile_rows, src, dst, weights, (int64_t)blockIdx.x * TILE_X,
                                 y, channel);
}

template <typename T, int HALO> static const char *launch(const struct job *job)
{
    const int row_bytes = pitch_of((int)job->halo) * (int)sizeof(uint32_t);
    const int rows = min(BLOCK_Y + 2 * (int)job->halo, MOST_SHARED_BYTES / row_bytes);
    dim3 grid = grid_over(job->src.width, job->src.height, dim3(TILE_X, BLOCK_Y));

    grid.z = job->src.channels < MAX_GRID_Y ? (unsigned)job->src.channels : MAX_GRID_Y;
    LAUNCH((smooth_shared<T, HALO>), grid, dim3(BLOCK_X, BLOCK_Y), (size_t)(rows * row_bytes),
           job->stream, job->src, job->dst, weights_of(job), rows);
    return launched();
}

/* The usual halos have kernels of their own, whose loops over taps are unrolled, and whose weights
 * are operands of the multiplications. */
template <typename T> static const char *launch_for_halo(const struct job *job)
{
    switch (job->halo) {
    case 1:
        return launch<T, 1>(job);
    case 2:
        return launch<T, 2>(job);
    case 3:
        return launch<T, 3>(job);
    case 4:
        return launch<T, 4>(job);
    case 6:
        return launch<T, 6>(job);
    case 8:
        return launch<T, 8>(job);
    default:
        return launch<T, 0>(job);
    }
}

static const char *run(const struct job *job)
{
    return job->src.sample_bytes == 1 ? launch_for_halo<uint8_t>(job)
                                      : launch_for_halo<uint16_t>(job);
}

DEFINE_VARIANT(smooth_shared) = {
    .op = OP_SMOOTH,
    .name = "shared",
    .place = ON_GPU,
    .reference = false,
    .about = "a tile with its halo in shared memory, 4 a thread",
    .refuses = NULL,
    .scratch_bytes = NULL,
    .run = run,
    .src_phase = NULL,
};
