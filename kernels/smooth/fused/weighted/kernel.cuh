/* SPDX-License-Identifier: MIT */
/* Colours that alpha weighs, by estimates in doubles: a block sums N and A (common/exact.h) down
 * the columns, then along the rows, divides, and repairs what is left unresolved. One launch; no
 * list, no scratch. Any axes and addresses, 2 or 4 channels.
 *
 *     tile     WEIGHTED_RUN rows of outputs, by a thread block
 *     run      WEIGHTED_RUN outputs of a thread: first below one another, then in a row
 *     columns  sums that a block makes for each row, one by each thread: more than outputs, by what
 *              the filter reaches on both sides */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_KERNEL_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_KERNEL_CUH

#include "kernels/smooth/fused/weighted/divide.cuh"
#include "kernels/smooth/fused/weighted/repair.cuh"
#include "kernels/smooth/fused/weighted/store.cuh"
#include "kernels/smooth/fused/weighted/windows.cuh"

/* A pair of channels is a plane of sums. The pair after a row's last lets eight lanes, each in a
 * row of its own, find their sums in different banks. */
template <int CHANNELS> __host__ __device__ constexpr int weighted_row_pairs()
{
    return CHANNELS / 2 * WEIGHTED_COLUMNS + 1;
}

/* A run of sums down the thread's column. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ void sum_weighted_columns(double2 *sums, const source &src,
                                                     const weighted_tile &tile,
                                                     const weighted_filter &filter, bool aligned)
{
    const int column = (int)threadIdx.x, reach = HALO > 0 ? HALO : filter.down.reach;
    const int64_t top = tile.y - filter.down.halo;
    const int last = (int)min(src.height + filter.down.halo - 1 - top, (int64_t)INT32_MAX);
    const char *first = reinterpret_cast<const char *>(
        source_at(src, row_of<const Sample>(src, 0), tile.column_x(column), 0));
    const int end = WEIGHTED_RUN - 1 + 2 * reach;
    const weighted_column<Sample, CHANNELS> source = {src, first, top, last,
                                                      aligned && first && last >= end &&
                                                          source_has_rows(src, top, top + end)};
    double totals[WEIGHTED_RUN][CHANNELS] = {};

    if (column >= tile.columns)
        return;
    sum_windows<HALO>(totals, filter.down, source);
#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c += 2)
            sums[i * weighted_row_pairs<CHANNELS>() + c / 2 * WEIGHTED_COLUMNS + column] =
                make_double2(totals[i][c], totals[i][c + 1]);
}

/* A colour under no alpha at all stays what it is: its t becomes the source's sample. bare: a bit
 * for each such pixel. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void keep_colours(double (&t)[WEIGHTED_RUN][CHANNELS], uint32_t bare,
                                             const char *src, bool aligned)
{
    typedef weighted_pixel<Sample, CHANNELS> pixel;

#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++)
        if (bare >> i & 1) {
            pixel own;

            if (aligned)
                own.load_aligned(src + i * pixel::bytes);
            else
                own.load(src + i * pixel::bytes);
#pragma unroll
            for (int c = 0; c < CHANNELS - 1; c++)
                t[i][c] = __hiloint2double((int)own.sample(c), 0);
        }
}

/* Bit i: test(i), for the outputs of a run. */
template <class Test> __device__ __forceinline__ uint32_t bits_where(const Test &test)
{
    uint32_t bits = 0;

#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++)
        bits |= (test(i) ? 1u : 0u) << i;
    return bits;
}

/* Computes and stores the run of pixels from (x, y) on, the first `valid` of which are in the
 * image. Returns a bit for each that is unresolved. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ uint32_t smooth_run(const weighted_line<CHANNELS> &line, const view &src,
                                               const view &dst, const weighted_filter &filter,
                                               int64_t x, int64_t y, int valid, bool aligned)
{
    const uint32_t all = (1u << valid) - 1;
    Sample *to = row_of<Sample>(dst, y) + x * CHANNELS;
    double t[WEIGHTED_RUN][CHANNELS] = {}; /* sums at first */
    int covers[WEIGHTED_RUN], least = INT32_MAX;
    uint32_t bare = 0, unresolved = 0, lowest = UINT32_MAX;

    sum_windows<HALO>(t, filter.along, line);
#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++) {
        covers[i] = __double2hiint(t[i][CHANNELS - 1]); /* 0 for the sum 0 alone */
        least = min(least, covers[i]);
        divide(t[i], filter);
        lowest = min(lowest, lowest_fraction(t[i]));
    }
    if (lowest < filter.unresolved)
        unresolved = bits_where([&](int i) { return lowest_fraction(t[i]) < filter.unresolved; });
    if (least == 0) {
        bare = all & bits_where([&](int i) { return covers[i] == 0; });
        keep_colours<Sample>(
            t, bare, reinterpret_cast<const char *>(row_of<const Sample>(src, y) + x * CHANNELS),
            aligned);
    }
    store_pixels(to, t, valid, (uintptr_t)to % 16 == 0);
    return unresolved & ~bare & all;
}

/* The thread's run along a row: lanes beside each other are in different rows. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ void smooth_weighted_rows(const double2 *sums, const view &src,
                                                     const view &dst, const weighted_tile &tile,
                                                     const weighted_filter &filter,
                                                     weighted_marks &marks, bool aligned)
{
    const int row = (int)threadIdx.x % WEIGHTED_RUN, run = (int)threadIdx.x / WEIGHTED_RUN;
    const int valid = min(tile.outputs - run * WEIGHTED_RUN, WEIGHTED_RUN);
    uint32_t unresolved = 0;

    if (valid > 0 && tile.y + row < dst.height) {
        const weighted_line<CHANNELS> line = {
            sums + row * weighted_row_pairs<CHANNELS>() + run * WEIGHTED_RUN, WEIGHTED_COLUMNS};

        unresolved = smooth_run<Sample, CHANNELS, HALO>(
            line, src, dst, filter, tile.x + run * WEIGHTED_RUN, tile.y + row, valid, aligned);
    }
    marks.runs[row][run] = unresolved;
    if (unresolved)
        atomicOr(&marks.rows, 1u << row);
}

/* HALO: of both axes, or more; 0: any. */
template <typename Sample, int CHANNELS, int HALO>
__global__ void __launch_bounds__(WEIGHTED_COLUMNS, CHANNELS == 2 ? 3 : 2)
    fused_weighted(const source src, const view dst, const __grid_constant__ weighted_filter filter,
                   const bool aligned)
{
    DYN_SHARED(double2, sums);
    __shared__ weighted_marks marks;
    const int reach = HALO > 0 ? HALO : filter.along.reach;
    const weighted_tile tile =
        weighted_tile_of(src, filter.along.halo, reach, weighted_outputs(reach));

    if (threadIdx.x == 0)
        marks.rows = 0;
    sum_weighted_columns<Sample, CHANNELS, HALO>(sums, src, tile, filter, aligned);
    __syncthreads();
    smooth_weighted_rows<Sample, CHANNELS, HALO>(sums, src, dst, tile, filter, marks, aligned);
    __syncthreads();
    for (uint32_t rows = marks.rows; rows; rows &= rows - 1)
        repair_row<Sample, CHANNELS>(reinterpret_cast<uint128 *>(sums), src, dst, tile, filter,
                                     marks, __ffs((int)rows) - 1);
}

#endif
