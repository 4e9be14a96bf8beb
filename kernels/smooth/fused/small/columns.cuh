/* SPDX-License-Identifier: MIT */
/* The tiles of fused_small, and their sums down the columns.
 *
 * A tile is the part of the image that a block computes; a run is SMALL_RUN adjacent outputs of
 * one thread. */
#ifndef SMOOTHIMG_FUSED_SMALL_COLUMNS_CUH
#define SMOOTHIMG_FUSED_SMALL_COLUMNS_CUH

#include "kernels/smooth/fused/arithmetic.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/small/filter.cuh"
#include "kernels/smooth/source.cuh"

#define SMALL_COLUMNS 64
#define SMALL_ROWS 16
#define SMALL_MAX_REACH 96 /* a block then has 1024 threads */
#define SMALL_MAX_CHANNELS (SMALL_COLUMNS / SMALL_RUN)

/* Returns the samples in a tile's row: as many runs (of SMALL_RUN samples of one channel) as fit in
 * SMALL_COLUMNS, the same number for each channel. */
__host__ __device__ static inline int small_columns(int channels)
{
    return SMALL_COLUMNS / (SMALL_RUN * channels) * (SMALL_RUN * channels);
}

__host__ __device__ static inline int small_reach(int halo_x, int channels)
{
    return halo_x * channels;
}

/* Returns the index of a column's sum in its row in shared memory. A gap after every 16 sums puts
 * those of neighbouring lanes, whose runs are SMALL_RUN sums apart, into different banks. */
__host__ __device__ static inline int small_slot(int column)
{
    return column + column / 16;
}

__device__ __forceinline__ double double_of(double sum)
{
    return sum;
}

/* Adds the weighted samples of the windows of a run, a thread's adjacent outputs, to the run's
 * totals. load(i) returns sample i, counted from the first tap of the first output. Beyond the last
 * tap of the last output it may return any finite number. */
template <typename Load>
__device__ __forceinline__ void add_windows(double (&totals)[SMALL_RUN], const small_axis &axis,
                                            const Load &load)
{
    const int samples = 2 * axis.halo + SMALL_RUN;
    decltype(load(0)) chunk[SMALL_CHUNK], next[SMALL_CHUNK];

#pragma unroll
    for (int j = 0; j < SMALL_CHUNK; j++)
        next[j] = load(j);
#pragma unroll 1
    for (int first = 0; first < samples; first += SMALL_CHUNK) {
#pragma unroll
        for (int j = 0; j < SMALL_CHUNK; j++) {
            chunk[j] = next[j];
            next[j] = load(first + SMALL_CHUNK + j); /* loaded while the others are added */
        }
#pragma unroll
        for (int j = 0; j < SMALL_CHUNK; j++)
#pragma unroll
            for (int i = 0; i < SMALL_RUN; i++)
                totals[i] =
                    fma(axis.taps[first + SMALL_RUN - 1 + j - i], double_of(chunk[j]), totals[i]);
    }
}

struct small_tile {
    int64_t x, y;        /* indices of its first sample in the image's row, and of its first row */
    int64_t row_samples; /* samples in a row of the image */
    /* Samples in a row of the tile; samples that the filter reaches on either side of them. */
    int columns, reach;
    int pitch; /* doubles from a row of sums to the next */
};

__device__ static inline small_tile tile_of_block(const view &src, int halo_x, int tiles_x)
{
    const int columns = small_columns(src.channels), reach = small_reach(halo_x, src.channels);

    return {(int64_t)((int)blockIdx.x % tiles_x) * columns,
            (int64_t)((int)blockIdx.x / tiles_x) * SMALL_ROWS,
            src.width * src.channels,
            columns,
            reach,
            small_slot(columns + 2 * reach)};
}

__device__ __forceinline__ void store_sums(double *sums, const small_tile &tile, int row,
                                           int column, const double (&totals)[SMALL_RUN])
{
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++)
        sums[(row + i) * tile.pitch + small_slot(column)] = totals[i];
}

/* Computes a run of sums, one below the other, in the thread's column. All lanes of a warp compute
 * the same rows, so the warp diverges only where an image ends. */
template <typename Sample>
__device__ __forceinline__ void sum_small_columns(double *sums, const source &src,
                                                  const small_tile &tile, const small_axis &axis)
{
    const int column = (int)threadIdx.x, row = (int)threadIdx.y * SMALL_RUN;
    const int top = (int)tile.y + row - axis.halo;
    const int last = (int)min(src.height + src.beside.below - 1, (int64_t)INT32_MAX);
    double totals[SMALL_RUN] = {};

    if (column >= tile.columns + 2 * tile.reach || tile.y + row >= src.height)
        return;
    const int64_t from = source_sample(src, tile.x - tile.reach + column);
    const char *first = static_cast<const char *>(src.origin) +
                        (from == NOWHERE ? 0 : from) * (int64_t)sizeof(Sample); /* in row 0 */
    const auto load = [&](int y) {
        return (uint32_t) * reinterpret_cast<const Sample *>(first + y * src.stride_bytes);
    };

    if (from != NOWHERE && source_has_rows(src, top, top + 2 * axis.halo + SMALL_RUN - 1))
        add_windows(totals, axis, [&](int i) { return load(min(top + i, last)); });
    else if (from != NOWHERE)
        add_windows(totals, axis, [&](int i) {
            const int64_t y = source_row(src, top + i);

            return y == NOWHERE ? 0 : load((int)y);
        });
    store_sums(sums, tile, row, column, totals);
}

#endif
