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

#include "kernels/smooth/fused/weighted/repair.cuh"
#include "kernels/smooth/fused/weighted/windows.cuh"

/* A pair of channels is a plane of sums. The pair after a row's last lets eight lanes, each in a
 * row of its own, find their sums in different banks. */
template <int CHANNELS> __host__ __device__ constexpr int weighted_row_pairs()
{
    return CHANNELS / 2 * WEIGHTED_COLUMNS + 1;
}

/* A run of sums down the thread's column. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ void sum_weighted_columns(double2 *sums, const view &src,
                                                     const weighted_tile &tile,
                                                     const weighted_filter &filter)
{
    const int column = (int)threadIdx.x;
    const int64_t top = tile.y - filter.down.halo;
    const int64_t below = src.height + filter.down.halo - 1 - top;
    const Sample *first = row_of<const Sample>(src, top) + tile.column_x(column) * CHANNELS;
    const weighted_column<Sample, CHANNELS> source = {
        reinterpret_cast<const char *>(first), src.stride_bytes,
        (int)min(below, (int64_t)INT32_MAX), tile.aligned};
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

/* A pixel's sums become its t's (fused/arithmetic.cuh). Returns false where alpha is 0 all over the
 * window, and the colours' t's mean nothing. */
template <int CHANNELS>
__device__ __forceinline__ bool divide(double (&totals)[CHANNELS], double offset)
{
    const double cover = totals[CHANNELS - 1];
    const bool covered = cover > 0;
    const double inverse = 1 / (covered ? cover : 1);

#pragma unroll
    for (int c = 0; c < CHANNELS - 1; c++)
        totals[c] = fma(totals[c], inverse, offset);
    totals[CHANNELS - 1] = cover + offset;
    return covered;
}

template <int CHANNELS>
__device__ __forceinline__ uint32_t lowest_fraction(const double (&totals)[CHANNELS])
{
    uint32_t lowest = totals_in_doubles::fraction(totals[0]);

#pragma unroll
    for (int c = 1; c < CHANNELS; c++)
        lowest = min(lowest, totals_in_doubles::fraction(totals[c]));
    return lowest;
}

template <typename Sample, int CHANNELS> struct alignas(16) weighted_run {
    Sample samples[WEIGHTED_RUN * CHANNELS];
};

/* Stores the first `valid` pixels. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void
store_weighted_run(Sample *to, const weighted_run<Sample, CHANNELS> &run, int valid)
{
    if (valid == WEIGHTED_RUN && (uintptr_t)to % 16 == 0) {
        *reinterpret_cast<weighted_run<Sample, CHANNELS> *>(to) = run;
        return;
    }
#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN * CHANNELS; i++)
        if (i < valid * CHANNELS)
            to[i] = run.samples[i];
}

/* A colour under no alpha at all stays what it is. bare: bits of such pixels. */
template <typename Sample, int CHANNELS>
__device__ __forceinline__ void keep_colours(weighted_run<Sample, CHANNELS> &run, uint32_t bare,
                                             const Sample *src)
{
#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++)
        if (bare >> i & 1)
#pragma unroll
            for (int c = 0; c < CHANNELS - 1; c++)
                run.samples[i * CHANNELS + c] = src[i * CHANNELS + c];
}

/* Computes and stores the run of pixels from (x, y) on, the first `valid` of which are in the
 * image. Returns a bit for each that is unresolved. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ uint32_t smooth_run(const weighted_line<CHANNELS> &line, const view &src,
                                               const view &dst, const weighted_filter &filter,
                                               int64_t x, int64_t y, int valid)
{
    double totals[WEIGHTED_RUN][CHANNELS] = {};
    weighted_run<Sample, CHANNELS> run;
    uint32_t bare = 0, unresolved = 0;

    sum_windows<HALO>(totals, filter.along, line);
#pragma unroll
    for (int i = 0; i < WEIGHTED_RUN; i++) {
        const bool covered = divide(totals[i], filter.offset);
        const bool resolved = lowest_fraction(totals[i]) >= filter.unresolved;

        bare |= (covered ? 0u : 1u) << i;
        unresolved |= (resolved ? 0u : 1u) << i;
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            run.samples[i * CHANNELS + c] =
                (Sample)min(totals_in_doubles::whole(totals[i][c]), filter.maxval);
    }
    bare &= (1u << valid) - 1;
    if (bare)
        keep_colours(run, bare, row_of<const Sample>(src, y) + x * CHANNELS);
    store_weighted_run(row_of<Sample>(dst, y) + x * CHANNELS, run, valid);
    return unresolved & ~bare & ((1u << valid) - 1);
}

/* The thread's run along a row: lanes beside each other are in different rows. */
template <typename Sample, int CHANNELS, int HALO>
__device__ __forceinline__ void smooth_weighted_rows(const double2 *sums, const view &src,
                                                     const view &dst, const weighted_tile &tile,
                                                     const weighted_filter &filter,
                                                     weighted_marks &marks)
{
    const int row = (int)threadIdx.x % WEIGHTED_RUN, run = (int)threadIdx.x / WEIGHTED_RUN;
    const int valid = min(tile.outputs - run * WEIGHTED_RUN, WEIGHTED_RUN);
    uint32_t unresolved = 0;

    if (valid > 0 && tile.y + row < dst.height) {
        const weighted_line<CHANNELS> line = {
            sums + row * weighted_row_pairs<CHANNELS>() + run * WEIGHTED_RUN, WEIGHTED_COLUMNS};

        unresolved = smooth_run<Sample, CHANNELS, HALO>(
            line, src, dst, filter, tile.x + run * WEIGHTED_RUN, tile.y + row, valid);
    }
    marks.runs[row][run] = unresolved;
    if (unresolved)
        atomicOr(&marks.rows, 1u << row);
}

/* HALO: of both axes; 0: of any. */
template <typename Sample, int CHANNELS, int HALO>
__global__ void __launch_bounds__(WEIGHTED_COLUMNS, 2)
    fused_weighted(const view src, const view dst, const __grid_constant__ weighted_filter filter,
                   const int tiles_x, const bool aligned)
{
    DYN_SHARED(double2, sums);
    __shared__ weighted_marks marks;
    const weighted_tile tile =
        weighted_tile_of(src, filter, HALO > 0 ? HALO : filter.along.reach, tiles_x, aligned);

    if (threadIdx.x == 0)
        marks.rows = 0;
    sum_weighted_columns<Sample, CHANNELS, HALO>(sums, src, tile, filter);
    __syncthreads();
    smooth_weighted_rows<Sample, CHANNELS, HALO>(sums, src, dst, tile, filter, marks);
    __syncthreads();
    for (uint32_t rows = marks.rows; rows; rows &= rows - 1)
        repair_row<Sample, CHANNELS>(reinterpret_cast<uint128 *>(sums), src, dst, tile, filter,
                                     marks, __ffs((int)rows) - 1);
}

#endif
