/* SPDX-License-Identifier: MIT */
/* Floats, halos beyond 64: the direct sum of a window in doubles. The tile and the four outputs a
 * thread are those of smooth_shared; the tile has the samples' bits. The magnitudes of the terms
 * are summed beside them for the bound of filter.cuh, so no other sample's size counts. */
#ifndef SMOOTHIMG_FUSED_FLOATS_DIRECT_CUH
#define SMOOTHIMG_FUSED_FLOATS_DIRECT_CUH

#include "kernels/smooth/fused/floats/filter.cuh"
#include "kernels/smooth/shared/tile.cuh"

/* Sums over a window or a row of it. MEANS: struct job, skip_nan. */
struct float_window {
    double sum, size, there; /* of the samples, their magnitudes, and, for means, of the weights */
    unsigned kinds;          /* of the samples that are not finite */
};

/* Samples without weight do not count. */
template <bool MEANS>
__device__ __forceinline__ void add_tap(float_window &row, double weight, uint32_t bits)
{
    const unsigned kind = float_kind(bits);

    if (weight == 0 || (MEANS && kind == FLOAT_NAN))
        return;
    if (kind == FLOAT_FINITE) {
        const double term = weight * (double)__uint_as_float(bits);

        row.sum += term;
        row.size += fabs(term);
    }
    row.kinds |= kind;
    if (MEANS)
        row.there += weight;
}

template <bool MEANS>
__device__ __forceinline__ void add_row(float_window &window, double weight,
                                        const float_window &row)
{
    if (weight == 0)
        return;
    window.sum += weight * row.sum;
    window.size += weight * row.size;
    window.kinds |= row.kinds;
    if (MEANS)
        window.there += weight * row.there;
}

/* The weight at distance k in units of 1. */
__device__ __forceinline__ double real_weight(const weights &axis, int k)
{
    return (double)weight_at(axis, k) * 0x1p-46;
}

/* The output's sample in the given row and column, from its window's sums. */
template <bool MEANS, class Filter>
__device__ __forceinline__ uint32_t float_result(const float_window &window, const view &src,
                                                 const Filter &filter, int64_t row, int64_t column)
{
    const double bound = float_bound<MEANS>(filter), whole = MEANS ? window.there : 1;

    if (window.kinds != FLOAT_FINITE)
        return float_special(window.kinds);
    if (MEANS && window.there == 0)
        return FLOAT_QUIET_NAN;

    const double estimate = window.sum / whole, off = bound * (window.size / whole);
    const uint32_t low = __float_as_uint((float)(estimate - off));
    const uint32_t high = __float_as_uint((float)(estimate + off));

    return low == high ? low : exact_float<MEANS>(src, filter, row, column);
}

/* Adds a row of the window of each of the four outputs. samples: of the first tap of the first. */
template <bool MEANS>
__device__ __forceinline__ void add_float_row(float_window (&windows)[COLUMNS], double weight,
                                              const weights &along, const uint32_t *samples)
{
    const int taps = 2 * along.halo + 1;
    float_window sums[COLUMNS] = {};
    uint32_t near[2 * COLUMNS];

    load_four(near, samples);
    for (int j = 0; j < taps; j += COLUMNS) {
        load_four(near + COLUMNS, samples + j + COLUMNS);
        for (int tap = 0; tap < COLUMNS && j + tap < taps; tap++)
            for (int i = 0; i < COLUMNS; i++)
                add_tap<MEANS>(sums[i], real_weight(along, j + tap - along.halo), near[i + tap]);
        for (int i = 0; i < COLUMNS; i++)
            near[i] = near[COLUMNS + i];
    }
    for (int i = 0; i < COLUMNS; i++)
        add_row<MEANS>(windows[i], weight, sums[i]);
}

/* The windows of a thread's outputs; (x, y) is the block's first. As sum_chunks() of tile.cuh. */
template <bool MEANS, class Filter>
__device__ __forceinline__ void sum_float_tile(float_window (&windows)[COLUMNS], uint32_t *tile,
                                               int tile_rows, const view &src, const Filter &filter,
                                               int64_t x, int64_t y, int32_t channel)
{
    const int halo_x = filter.x().halo, halo_y = filter.y().halo, pitch = pitch_of(halo_x);
    const int end = BLOCK_Y + halo_y; /* rows are counted from y */
    const int mine = threadIdx.y;
    const bool idle = x + COLUMNS * threadIdx.x >= src.width || y + mine >= src.height;

    for (int first = -halo_y; first < end; first += tile_rows) {
        const int rows = min(tile_rows, end - first);
        const int from = idle ? end : max(-halo_y, first - mine);
        const int to = min(halo_y, first + rows - 1 - mine);

        fetch<uint32_t>(tile, src, halo_x, halo_y, x - halo_x, y + first, rows, channel);
        __syncthreads();
        for (int i = from; i <= to; i++)
            add_float_row<MEANS>(windows, real_weight(filter.y(), i), filter.x(),
                                 tile + (mine + i - first) * pitch + COLUMNS * threadIdx.x);
        __syncthreads(); /* before the next chunk takes its place */
    }
}

template <bool MEANS, class Filter>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    smooth_float_direct(const view src, const view dst, const __grid_constant__ Filter filter,
                        const int tile_rows)
{
    const int64_t x = (int64_t)blockIdx.x * TILE_X, column = x + COLUMNS * threadIdx.x;
    DYN_SHARED(uint32_t, tile);

    for (int32_t channel = blockIdx.z; channel < src.channels; channel += gridDim.z)
        for (int64_t y = (int64_t)blockIdx.y * BLOCK_Y; y < src.height;
             y += (int64_t)gridDim.y * BLOCK_Y) {
            const int64_t row = y + threadIdx.y;
            float_window windows[COLUMNS] = {};

            sum_float_tile<MEANS>(windows, tile, tile_rows, src, filter, x, y, channel);
            for (int i = 0; i < COLUMNS && row < dst.height && column + i < dst.width; i++) {
                const int64_t sample = (column + i) * dst.channels + channel;

                row_of<uint32_t>(dst, row)[sample] =
                    float_result<MEANS>(windows[i], src, filter, row, sample);
            }
        }
}

template <bool MEANS, class Filter> static const char *launch_float_direct_by(const struct job *job)
{
    const int row_bytes = pitch_of((int)job->halo_x) * (int)sizeof(uint32_t);
    const int rows = min(BLOCK_Y + 2 * (int)job->halo_y, MOST_SHARED_BYTES / row_bytes);
    dim3 grid = grid_over(job->src.width, job->src.height, dim3(TILE_X, BLOCK_Y));

    grid.z = blocks_down(job->src.channels);
    LAUNCH((smooth_float_direct<MEANS, Filter>), grid, dim3(BLOCK_X, BLOCK_Y),
           (size_t)(rows * row_bytes), job->stream, job->src, job->dst, filter_of<Filter>(job),
           rows);
    return launched();
}

template <bool MEANS> static const char *launch_float_direct_of(const struct job *job)
{
    return axes_are_equal(job) ? launch_float_direct_by<MEANS, equal_axes>(job)
                               : launch_float_direct_by<MEANS, two_axes>(job);
}

static const char *launch_float_direct(const struct job *job)
{
    return job->skip_nan ? launch_float_direct_of<true>(job) : launch_float_direct_of<false>(job);
}

#endif
