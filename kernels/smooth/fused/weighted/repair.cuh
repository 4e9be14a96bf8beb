/* SPDX-License-Identifier: MIT */
/* The tile of weighted/kernel.cuh, and its unresolved pixels in the definition's integers: the
 * block computes a row's columns, then the pixels of it that are marked. So a tile in which all
 * pixels are marked costs two passes, as exact.cuh does, and not a window for each. */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_REPAIR_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_REPAIR_CUH

#include "kernels/common/mean.cuh"
#include "kernels/smooth/fused/weighted/filter.cuh"
#include "kernels/smooth/source.cuh"

#define WEIGHTED_COLUMNS 256 /* column sums of a tile's row, and threads of a block */

struct weighted_tile {
    int64_t x, y;   /* the first pixel of its outputs */
    int64_t last_x; /* last column that the filter reaches; it is read in place of those beyond */
    int halo_x;
    int outputs; /* in a row, that are in the image */
    int columns; /* that these need, in whole runs */

    /* Where in the image a column of sums is. */
    __device__ __forceinline__ int64_t column_x(int column) const
    {
        return min(x - halo_x + column, last_x);
    }
};

/* Outputs of a tile in a row. reach: that of the filter, or more. */
__host__ __device__ static inline int weighted_outputs(int reach)
{
    return (WEIGHTED_COLUMNS - 2 * reach) / WEIGHTED_RUN * WEIGHTED_RUN;
}

/* The block's. halo and reach: along rows; most: outputs of a tile in a row. */
__device__ __forceinline__ weighted_tile weighted_tile_of(const view &src, int halo, int reach,
                                                          int most)
{
    const int64_t x = (int64_t)blockIdx.x * most;
    const int outputs = (int)min(src.width - x, (int64_t)most);

    return {x,
            (int64_t)blockIdx.y * WEIGHTED_RUN,
            src.width + halo - 1,
            halo,
            outputs,
            (outputs + WEIGHTED_RUN - 1) / WEIGHTED_RUN * WEIGHTED_RUN + 2 * reach};
}

/* Unresolved pixels. */
struct weighted_marks {
    uint32_t rows;                                                /* a bit for each row with one */
    uint32_t runs[WEIGHTED_RUN][WEIGHTED_COLUMNS / WEIGHTED_RUN]; /* in a row; a bit for each */
};

/* The sums down the window's column x for row y: of colours times alpha, and of alpha. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void sum_exact_column(uint128 *sums, const source &src, int64_t x,
                                                 int64_t y, const weighted_axis &axis)
{
    uint128 totals[CHANNELS] = {};

#pragma unroll 1
    for (int tap = 0; tap <= 2 * axis.halo; tap++) {
        const uint64_t weight = weight_of_tap(axis, tap);
        const Sample *line = source_line<Sample>(src, y - axis.halo + tap);
        const Sample *first = source_at(src, line, x, 0);

        if (!first)
            continue;
        const uint32_t alpha = first[CHANNELS - 1];

#pragma unroll
        for (int c = 0; c < CHANNELS - 1; c++)
            exact_add(&totals[c], weight, alpha * first[c]);
        exact_add(&totals[CHANNELS - 1], weight, alpha);
    }
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        sums[c] = totals[c];
}

/* An output pixel under some alpha. sums: of the window's columns. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void smooth_exactly(Sample *out, const uint128 *sums,
                                               const weighted_filter &filter)
{
    uint128 totals[CHANNELS] = {};

#pragma unroll 1
    for (int tap = 0; tap <= 2 * filter.along.halo; tap++, sums += CHANNELS)
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            exact_add_sum(&totals[c], weight_of_tap(filter.along, tap), sums[c]);
#pragma unroll
    for (int c = 0; c < CHANNELS - 1; c++)
        out[c] = (Sample)mean_of(totals[c], totals[CHANNELS - 1]);
    out[CHANNELS - 1] = (Sample)exact_round(totals[CHANNELS - 1], filter.maxval);
}

/* Computes the marked pixels of a row; all threads of the block call it. sums: shared memory that
 * nobody uses any more, of at least WEIGHTED_COLUMNS pixels. */
template <typename Sample, int CHANNELS>
__device__ void repair_row(uint128 *sums, const source &src, const view &dst,
                           const weighted_tile &tile, const weighted_filter &filter,
                           const weighted_marks &marks, int row)
{
    const int x = (int)threadIdx.x;
    const int64_t y = tile.y + row;

    if (x < tile.columns)
        sum_exact_column<Sample, CHANNELS>(sums + x * CHANNELS, src, tile.column_x(x), y,
                                           filter.down);
    __syncthreads();
    if (marks.runs[row][x / WEIGHTED_RUN] >> (x % WEIGHTED_RUN) & 1)
        smooth_exactly<Sample, CHANNELS>(row_of<Sample>(dst, y) + (tile.x + x) * CHANNELS,
                                         sums + x * CHANNELS, filter);
    __syncthreads(); /* before the next row's sums take their places */
}

#endif
