/* SPDX-License-Identifier: MIT */
/* A small image in one launch. Kernels that begin and end one after the other take longer than the
 * memory and the arithmetic of such an image, so one kernel does everything: sums down the columns,
 * then along the rows, in doubles, which leave hardly a sample unresolved; the block that finds one
 * repairs it. Any axes and addresses, up to SMALL_MAX_CHANNELS channels; no list, no scratch.
 *
 *     tile     SMALL_ROWS rows of up to SMALL_COLUMNS samples, by a thread block
 *     run      SMALL_RUN outputs of a thread: first below one another, then in a row
 *     reach    samples that the filter reaches beyond the tile on either side, along the rows */
#ifndef SMOOTHIMG_FUSED_SMALL_KERNEL_CUH
#define SMOOTHIMG_FUSED_SMALL_KERNEL_CUH

#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/small/filter.cuh"

#define SMALL_COLUMNS 64
#define SMALL_ROWS 16
#define SMALL_MAX_REACH 96 /* with it a block has 1024 threads */
#define SMALL_MAX_CHANNELS (SMALL_COLUMNS / SMALL_RUN)

/* Samples in a tile's row: as many as whole runs of pixels have. */
__host__ __device__ static inline int small_columns(int channels)
{
    return SMALL_COLUMNS / (SMALL_RUN * channels) * (SMALL_RUN * channels);
}

__host__ __device__ static inline int small_reach(int halo_x, int channels)
{
    return halo_x * channels;
}

/* Where a column's sum lies in its row in shared memory: a gap after each 16 lets neighbouring
 * lanes, whose runs are SMALL_RUN sums apart, find theirs in different banks. */
__host__ __device__ static inline int small_slot(int column)
{
    return column + column / 16;
}

__device__ __forceinline__ double real_of(double sum)
{
    return sum;
}

/* Laid into the mantissa of 2^52: an instruction that converts takes longer. */
__device__ __forceinline__ double real_of(uint32_t sample)
{
    return __hiloint2double(0x43300000, (int)sample) - 4503599627370496.0;
}

/* Adds the weighted samples of a run's windows to its totals. load(i) returns sample i from the
 * first output's first tap on, any finite number beyond the last output's last tap. */
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
            next[j] = load(first + SMALL_CHUNK + j); /* on its way while these are added */
        }
#pragma unroll
        for (int j = 0; j < SMALL_CHUNK; j++)
#pragma unroll
            for (int i = 0; i < SMALL_RUN; i++)
                totals[i] =
                    fma(axis.taps[first + SMALL_RUN - 1 + j - i], real_of(chunk[j]), totals[i]);
    }
}

struct small_tile {
    int64_t x, y;        /* its first sample, in its row; and that row */
    int64_t row_samples; /* of the image */
    int columns, reach;
    int pitch; /* of a row of sums */
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

/* A run of sums down the thread's column. Beyond the image's border it reads the last column and
 * the last row again. */
template <typename Sample>
__device__ __forceinline__ void sum_small_columns(double *sums, const view &src,
                                                  const small_tile &tile, const small_axis &axis)
{
    const int column = (int)threadIdx.x, row = (int)threadIdx.y * SMALL_RUN;
    const int64_t at = min(tile.x - tile.reach + column, tile.row_samples + tile.reach - 1);
    const int64_t top = tile.y + row - axis.halo;
    const int last = (int)min(src.height + axis.halo - 1 - top, (int64_t)INT32_MAX);
    const char *first = reinterpret_cast<const char *>(row_of<const Sample>(src, top) + at);
    double totals[SMALL_RUN] = {};

    if (column >= tile.columns + 2 * tile.reach)
        return;
    add_windows(totals, axis, [&](int i) {
        return (uint32_t) *
               reinterpret_cast<const Sample *>(first + min(i, last) * src.stride_bytes);
    });
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++)
        sums[(row + i) * tile.pitch + small_slot(column)] = totals[i];
}

/* Stores the samples of a run; the first `valid` of them are in the image. */
template <typename Sample>
__device__ __forceinline__ void store_run(Sample *to, const Sample (&samples)[SMALL_RUN],
                                          int channels, int64_t valid)
{
    struct alignas(SMALL_RUN * sizeof(Sample)) unit {
        Sample samples[SMALL_RUN];
    };

    if (channels == 1 && valid >= SMALL_RUN && (uintptr_t)to % sizeof(unit) == 0) {
        unit all;

#pragma unroll
        for (int i = 0; i < SMALL_RUN; i++)
            all.samples[i] = samples[i];
        *reinterpret_cast<unit *>(to) = all;
        return;
    }
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++)
        if (i < valid)
            to[i * channels] = samples[i];
}

/* The thread's run along a row: stores it, and marks its unresolved samples: in marks[row] bit
 * column % 32 of word column / 32, counted in the tile. */
template <typename Sample>
__device__ __forceinline__ void sum_small_row(const double *sums, const view &dst,
                                              const small_tile &tile, const small_filter &filter,
                                              uint32_t (&marks)[SMALL_ROWS][SMALL_COLUMNS / 32])
{
    const int runs = tile.columns / SMALL_RUN; /* in a row */
    const int channels = dst.channels;
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    const int row = thread / runs, run = thread % runs;
    const int first = run / channels * SMALL_RUN * channels + run % channels; /* in the tile */
    const int last = tile.columns + 2 * tile.reach - 1 - first;
    const int64_t left = tile.row_samples - tile.x - first;
    double totals[SMALL_RUN] = {};
    Sample samples[SMALL_RUN];

    if (row >= SMALL_ROWS || tile.y + row >= dst.height || left <= 0)
        return;
    add_windows(totals, filter.along, [&](int i) {
        return sums[row * tile.pitch + small_slot(first + min(i * channels, last))];
    });
#pragma unroll
    for (int i = 0; i < SMALL_RUN; i++) {
        const double t = totals[i] + filter.offset;
        const int at = first + i * channels;

        samples[i] = (Sample)min(totals_in_doubles::whole(t), filter.along.maxval);
        if (totals_in_doubles::fraction(t) < filter.unresolved && i * channels < left)
            atomicOr(&marks[row][at / 32], 1u << (at % 32));
    }
    store_run(row_of<Sample>(dst, tile.y + row) + tile.x + first, samples, channels,
              (left + channels - 1) / channels);
}

/* Computes the marked samples, a row's 32 by a warp at a time. */
template <typename Sample>
__device__ void repair_tile(const view &src, const view &dst, const small_tile &tile,
                            const small_filter &filter,
                            const uint32_t (&marks)[SMALL_ROWS][SMALL_COLUMNS / 32])
{
    constexpr int in_row = SMALL_COLUMNS / 32;
    const int warp = (int)(threadIdx.y * blockDim.x + threadIdx.x) / 32;
    const int warps = (int)(blockDim.x * blockDim.y) / 32;

    for (int word = warp; word < SMALL_ROWS * in_row; word += warps)
        for (uint32_t bits = marks[word / in_row][word % in_row]; bits; bits &= bits - 1) {
            const int64_t at = tile.x + word % in_row * 32 + __ffs((int)bits) - 1;

            repair_sample<Sample>(src, dst, filter, at / src.channels, tile.y + word / in_row,
                                  (int32_t)(at % src.channels));
        }
}

template <typename Sample>
__global__ void __launch_bounds__(MAX_BLOCK_THREADS)
    fused_small(const view src, const view dst, const __grid_constant__ small_filter filter,
                const int tiles_x)
{
    DYN_SHARED(double, sums);
    constexpr int in_row = SMALL_COLUMNS / 32;
    __shared__ uint32_t marks[SMALL_ROWS][in_row];
    const small_tile tile = tile_of_block(src, filter.along.halo, tiles_x);

    if (threadIdx.y == 0 && threadIdx.x < SMALL_ROWS * in_row)
        marks[threadIdx.x / in_row][threadIdx.x % in_row] = 0;
    sum_small_columns<Sample>(sums, src, tile, filter.down);
    __syncthreads();
    sum_small_row<Sample>(sums, dst, tile, filter, marks);
    __syncthreads();
    repair_tile<Sample>(src, dst, tile, filter, marks);
}

#endif
