/* SPDX-License-Identifier: MIT */
/* Tiles in shared memory and the sums of their windows, for smooth/shared.cu. The template
 * parameter HALO is the halo along both axes, or 0 if the halos are known only at run time. */
#ifndef SMOOTHIMG_SMOOTH_SHARED_TILE_CUH
#define SMOOTHIMG_SMOOTH_SHARED_TILE_CUH

#include "kernels/common/launch.cuh"
#include "kernels/common/weights.cuh"
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/source.cuh"

#define COLUMNS 4 /* adjacent outputs of a row that a thread computes */
#define BLOCK_X 32
#define BLOCK_Y 8
#define TILE_X (COLUMNS * BLOCK_X) /* outputs of a block along a row */
/* The shared memory that a block may use on every GPU without cudaFuncSetAttribute(). */
#define MOST_SHARED_BYTES (48 * 1024)

/* Returns how many samples a row of the tile has: the outputs and the halos, rounded up to a
 * multiple of four, and four more, since sum_row() loads four at a time, up to four beyond the last
 * tap. The added samples are not used. */
__host__ __device__ static inline int pitch_of(int halo)
{
    return TILE_X + (2 * halo + 3) / 4 * 4 + 4;
}

/* The sum along a row of 48-bit weights times 16-bit samples, as two numbers without a carry
 * between them: the sum is lower + upper * 2^32. The upper 16 bits of the weights sum to less than
 * 2^16, so `upper` stays below 2^32. */
struct row_sum {
    uint64_t lower; /* sum of the products with the weights' lower 32 bits */
    uint32_t upper; /* sum of the products with the weights' upper 16 bits */
};

/* Adds taps first..first+COUNT-1 of a row, counted from the left end of the window, to the sums of
 * the thread's four outputs. `near` begins with the sample of tap `first` for the first output. */
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

/* Sets row[] to the sums of four adjacent outputs along one row of their windows. samples: the
 * first sample of the first output's window in that row. */
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
    if (taps - j == 1) /* otherwise 3: the number of taps is odd */
        add_taps<HALO, 1>(sums, weights, j, near);
    else
        add_taps<HALO, 3>(sums, weights, j, near);
    for (int i = 0; i < COLUMNS; i++)
        row[i] = sums[i].lower + ((uint64_t)sums[i].upper << 32);
}

/* The value that a tile holds for each pixel: the sample of one channel, or the lower or upper half
 * of the sample's product with alpha. Row sums multiply values of 16 bits, so a product of 32 bits
 * takes two tiles. */
enum tile_part { TILE_SAMPLE, TILE_LOWER, TILE_UPPER };

template <typename T, tile_part PART>
__device__ __forceinline__ uint32_t tile_value(const T *sample, int to_alpha)
{
    if (!sample || PART == TILE_SAMPLE)
        return sample ? *sample : 0;
    const uint32_t product = (uint32_t)*sample * sample[to_alpha];

    return PART == TILE_LOWER ? product & 0xffff : product >> 16;
}

/* Loads rows y..y+rows-1 of the block's tile; column x is the first. */
template <typename T, tile_part PART = TILE_SAMPLE>
__device__ __forceinline__ void fetch(uint32_t *tile, const source &src, int halo_x, int64_t x,
                                      int64_t y, int rows, int32_t channel)
{
    const int pitch = pitch_of(halo_x);

    for (int r = threadIdx.y; r < rows; r += BLOCK_Y) {
        const T *line = source_line<T>(src, y + r);

        for (int c = threadIdx.x; c < pitch; c += BLOCK_X)
            tile[r * pitch + c] = tile_value<T, PART>(source_at(src, line, x + c, channel),
                                                      src.channels - 1 - channel);
    }
}

/* Adds the sums over the windows of the thread's four outputs to totals[]. The windows are in the
 * tile; `window` is the first sample of the first output's window. Rows at the same distance from
 * the centre share a weight, so their sums are added before the multiplication of 64 by 64 bits.
 * Call this only if pairs_fit() is true: 64 bits then hold the sum of two row sums. */
template <int HALO, class Filter>
__device__ __forceinline__ void sum_window(uint128 (&totals)[COLUMNS], const Filter &filter,
                                           const uint32_t *window)
{
    const int halo = HALO ? HALO : filter.y().halo;
    const int pitch = pitch_of(HALO ? HALO : filter.x().halo);

    for (int i = 0; i <= halo; i++) {
        uint64_t above[COLUMNS], below[COLUMNS] = {};

        sum_row<HALO>(above, filter.x(), window + (halo - i) * pitch);
        if (i > 0)
            sum_row<HALO>(below, filter.x(), window + (halo + i) * pitch);
        for (int c = 0; c < COLUMNS; c++)
            totals[c] += (uint128)weight_at(filter.y(), i) * (above[c] + below[c]);
    }
}

/* Computes what sum_window() computes, for a tile that is too large for shared memory, or if
 * pairs_fit() is false. The tile is loaded in chunks of chunk_rows rows, each of which is used
 * before the next is loaded. (x, y) is the block's first output. A thread whose outputs are outside
 * the image only loads; otherwise a block at the image's edge would take as long as any other. */
template <typename T, tile_part PART, class Filter>
__device__ __forceinline__ void sum_chunks(uint128 (&totals)[COLUMNS], uint32_t *tile,
                                           int chunk_rows, const source &src, const Filter &filter,
                                           int64_t x, int64_t y, int32_t channel)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo, pitch = pitch_of(halo_x);
    const int end = BLOCK_Y + halo_y; /* the end of the tile's rows, relative to y */
    const int mine = threadIdx.y;
    const bool idle = x + COLUMNS * threadIdx.x >= src.width || y + mine >= src.height;

    for (int first = -halo_y; first < end; first += chunk_rows) {
        const int rows = min(chunk_rows, end - first);
        const int from = idle ? end : max(-halo_y, first - mine);
        const int to = min(halo_y, first + rows - 1 - mine);

        fetch<T, PART>(tile, src, halo_x, x - halo_x, y + first, rows, channel);
        __syncthreads();
        for (int i = from; i <= to; i++) {
            uint64_t row[COLUMNS];

            sum_row<0>(row, filter.x(), tile + (mine + i - first) * pitch + COLUMNS * threadIdx.x);
            for (int c = 0; c < COLUMNS; c++)
                totals[c] += (uint128)weight_at(filter.y(), i) * row[c];
        }
        __syncthreads(); /* before the next chunk takes its place */
    }
}

/* Adds the sums over the windows of the thread's four outputs to totals[]. The block computes
 * BLOCK_Y rows of TILE_X outputs of one channel, of which (x, y) is the first. tile_rows: how many
 * rows of the tile shared memory holds at a time. */
template <typename T, int HALO, tile_part PART = TILE_SAMPLE, class Filter>
__device__ __forceinline__ void sum_tile(uint128 (&totals)[COLUMNS], uint32_t *tile, int tile_rows,
                                         const source &src, const Filter &filter, int64_t x,
                                         int64_t y, int32_t channel)
{
    const int halo_x = HALO ? HALO : filter.x().halo, pitch = pitch_of(halo_x);
    const int halo_y = HALO ? HALO : filter.y().halo, rows = BLOCK_Y + 2 * halo_y;

    if (HALO == 0 && tile_rows < rows) {
        sum_chunks<T, PART>(totals, tile, tile_rows, src, filter, x, y, channel);
    } else {
        fetch<T, PART>(tile, src, halo_x, x - halo_x, y - halo_y, rows, channel);
        __syncthreads();
        sum_window<HALO>(totals, filter, tile + threadIdx.y * pitch + COLUMNS * threadIdx.x);
        __syncthreads(); /* before the next tile overwrites this one */
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

/* True if the weights of a row sum to less than 2: then 64 bits hold the sum of two row sums of
 * 16-bit samples. With --norm analytic the weights sum to more for sigmas below 0.2. */
static inline bool pairs_fit(const struct piece *piece)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k <= 2 * piece->request->halo_x; k++)
        sum += piece->request->weights_x[k];
    return sum >> (WEIGHT_BITS + 1) == 0;
}

/* For a piece whose axes have equal weights. Returns its halo, or 0 if pairs of row sums do not fit
 * 64 bits: then the kernel for any halo computes the piece by sum_chunks(), which adds no pairs. */
static inline int64_t halo_of_kernel(const struct piece *piece)
{
    return pairs_fit(piece) ? piece->request->halo : 0;
}

/* How many rows of a tile are in shared memory at a time, and the bytes of one row. If a tile needs
 * more rows, sum_chunks() computes it. If 64 bits do not hold pairs of row sums (pairs_fit()),
 * `rows` is made less than a tile needs, so that sum_chunks() computes it. */
struct tile_size {
    int rows, row_bytes;
};

static inline tile_size tile_size_of(const struct piece *piece)
{
    const int row_bytes = pitch_of((int)piece->request->halo_x) * (int)sizeof(uint32_t);
    const int wanted = BLOCK_Y + 2 * (int)piece->request->halo_y - (pairs_fit(piece) ? 0 : 1);

    return {min(wanted, MOST_SHARED_BYTES / row_bytes), row_bytes};
}

#endif
