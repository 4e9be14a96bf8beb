/* SPDX-License-Identifier: MIT */
/* Floats, halos to 64: a block sums the rows of its tile, with the halo above and below, into
 * shared memory in doubles, then down its columns, and rounds both ends of an interval around each
 * sum.
 *
 * The bound is that of filter.cuh, where no sample in reach of the tile is negative; else with the
 * greatest magnitude in reach for that of every term.
 * Infinities and NaN go through the sums: the host has cut off taps without weight. */
#ifndef SMOOTHIMG_FUSED_FLOATS_KERNEL_CUH
#define SMOOTHIMG_FUSED_FLOATS_KERNEL_CUH

#include "kernels/smooth/fused/floats/filter.cuh"

#define FLOAT_TILE_X 32 /* columns of samples: a warp */
#define FLOAT_TILE_Y 32 /* rows of the result */
#define FLOAT_WARPS 8

/* What is in reach of a tile. */
struct float_reach {
    unsigned peak;  /* the greatest of the finite samples' bits, without the sign */
    unsigned kinds; /* of the others: enum float_kind */
    unsigned signs; /* the bits of all samples, joined by | */
};

__device__ __forceinline__ void note(float_reach &reach, uint32_t bits)
{
    const uint32_t size = bits & ~FLOAT_SIGN;

    reach.signs |= bits;
    if (size < FLOAT_INFINITY)
        reach.peak = max(reach.peak, size);
    else
        reach.kinds |= float_kind(bits);
}

/* The sum along the row around *centre, and that of the weights of samples that are no NaN. */
template <bool MEANS>
__device__ __forceinline__ double sum_along(const uint32_t *centre, int32_t channels,
                                            const float_filter &filter, float_reach &reach,
                                            double &there)
{
    const int halo = filter.x().halo;
    double sum = 0;

    there = 0;
    for (int j = -halo; j <= halo; j++) {
        const uint32_t bits = centre[(int64_t)j * channels];
        const double weight = filter.along[j < 0 ? -j : j];
        const bool missing = MEANS && float_kind(bits) == FLOAT_NAN;

        note(reach, bits);
        if (MEANS)
            there += missing ? 0 : weight;
        sum += missing ? 0 : weight * (double)__uint_as_float(bits);
    }
    return sum;
}

__device__ __forceinline__ double sum_down(const double *sums, const float_filter &filter)
{
    const int halo = filter.y().halo;
    double sum = 0;

    for (int i = -halo; i <= halo; i++)
        sum += filter.down[i < 0 ? -i : i] * sums[(halo + i) * FLOAT_TILE_X];
    return sum;
}

/* The sample of an estimate, or the exact one. */
template <bool MEANS>
__device__ __forceinline__ uint32_t float_between(double estimate, const float_reach &reach,
                                                  const view &src, const float_filter &filter,
                                                  int64_t row, int64_t column)
{
    const double bound = float_bound<MEANS>(filter);
    const bool relative = !(reach.signs & FLOAT_SIGN) && reach.kinds == FLOAT_FINITE;
    const double peak = (double)__uint_as_float(reach.peak);
    const double off = bound * (relative ? estimate : MEANS ? peak : filter.whole * peak);
    const uint32_t low = __float_as_uint((float)(estimate - off));
    const uint32_t high = __float_as_uint((float)(estimate + off));

    if (float_kind(low) == FLOAT_NAN)
        return FLOAT_QUIET_NAN;
    return low == high ? low : exact_float<MEANS>(src, filter, row, column);
}

/* Rows y - halo_y.. of the tile; those that no output needs are left out. */
template <bool MEANS>
__device__ __forceinline__ float_reach sum_rows(double *sums, double *weights, const view &src,
                                                const float_filter &filter, int64_t column,
                                                int64_t y)
{
    const int halo = filter.y().halo, rows = FLOAT_TILE_Y + 2 * halo;
    float_reach reach = {};

    for (int r = threadIdx.y; r < rows && y + r - halo < src.height + halo; r += FLOAT_WARPS) {
        const uint32_t *centre = row_of<const uint32_t>(src, y + r - halo) + column;
        double there;

        sums[r * FLOAT_TILE_X + threadIdx.x] =
            sum_along<MEANS>(centre, src.channels, filter, reach, there);
        if (MEANS)
            weights[r * FLOAT_TILE_X + threadIdx.x] = there;
    }
    return reach;
}

/* Joins what the threads of the block have noted. */
__device__ __forceinline__ void join(float_reach *all, const float_reach &mine)
{
    atomicMax(&all->peak, mine.peak);
    atomicOr(&all->kinds, mine.kinds);
    atomicOr(&all->signs, mine.signs);
}

template <bool MEANS>
__global__ void __launch_bounds__(FLOAT_TILE_X *FLOAT_WARPS)
    smooth_float_tiles(const view src, const view dst, const __grid_constant__ float_filter filter)
{
    const int64_t column = (int64_t)blockIdx.x * FLOAT_TILE_X + threadIdx.x;
    const bool inside = column < src.width * src.channels;
    const int tile = (FLOAT_TILE_Y + 2 * filter.y().halo) * FLOAT_TILE_X;
    __shared__ float_reach reach;
    DYN_SHARED(double, sums);

    for (int64_t y = (int64_t)blockIdx.y * FLOAT_TILE_Y; y < src.height;
         y += (int64_t)gridDim.y * FLOAT_TILE_Y) {
        if (threadIdx.x == 0 && threadIdx.y == 0)
            reach = {};
        __syncthreads();
        if (inside)
            join(&reach, sum_rows<MEANS>(sums, sums + tile, src, filter, column, y));
        __syncthreads();
        for (int r = threadIdx.y; r < FLOAT_TILE_Y && inside && y + r < src.height;
             r += FLOAT_WARPS) {
            const double *own = sums + r * FLOAT_TILE_X + threadIdx.x;
            double estimate = sum_down(own, filter);

            if (MEANS)
                estimate /= sum_down(own + tile, filter); /* 0 / 0 where nothing is there */
            row_of<uint32_t>(dst, y + r)[column] =
                float_between<MEANS>(estimate, reach, src, filter, y + r, column);
        }
        __syncthreads(); /* before the next tile takes its place */
    }
}

#endif
