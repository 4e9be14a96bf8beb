/* SPDX-License-Identifier: MIT */
/* The interval around an estimate of window.cuh, from the samples that its warp has seen.
 *
 * The bound is that of the processor's path (smooth/cpu/floats/floats.h): halo_x + halo_y + 6
 * roundings of a term, 4 spare. Where no sample in reach of the warp is negative it is relative;
 * else each lane takes the greatest magnitude in reach of its samples, in this round of rows and
 * the one before, which have the window. */
#ifndef SMOOTHIMG_FUSED_FLOATS_INTERVAL_CUH
#define SMOOTHIMG_FUSED_FLOATS_INTERVAL_CUH

#include "kernels/smooth/fused/floats/kernel.cuh"

#define ALL_LANES 0xffffffffu
#define FLOAT_LANE 4 /* samples of a lane */
#define ALL_OF_LANE ((1u << FLOAT_LANE) - 1)

/* Which of a lane's samples, the first of which is x, are among from..end-1: a bit each. */
__device__ __forceinline__ unsigned samples_in_row(int64_t x, int64_t from, int64_t end)
{
    unsigned which = 0;

    for (int i = 0; i < FLOAT_LANE; i++)
        which |= (x + i >= from && x + i < end ? 1u : 0u) << i;
    return which;
}

/* What lies beside a row may be anything, and would widen the interval. */
__device__ __forceinline__ void clear_others(uint32_t (&bits)[FLOAT_LANE], unsigned which)
{
#pragma unroll
    for (int i = 0; i < FLOAT_LANE; i++)
        bits[i] = which >> i & 1 ? bits[i] : 0;
}

/* The magnitudes that a lane has seen, so that a greater number is a greater magnitude: a finite
 * float's bits without the sign, and 2^31 + 2^23 more; of others less than 2^23, by wrapping. */
#define FLOAT_SEEN 0x80800000u

struct float_seen {
    unsigned most, signs; /* signs: the bits of all samples, joined by | */

    __device__ __forceinline__ void add(uint32_t bits)
    {
        most = max(most, (bits & ~FLOAT_SIGN) + FLOAT_SEEN);
        signs |= bits;
    }
};

/* Where the exact value of an estimate e lies: e * below - off .. e * above + off. */
struct float_interval {
    double below, above, off;
};

/* The interval for the lane's samples. bound: smooth_floats_bound. */
template <int MARGIN>
__device__ __forceinline__ float_interval interval_of(const float_seen &now,
                                                      const float_seen &before, double bound,
                                                      double whole)
{
    if (!__any_sync(ALL_LANES, (int)((now.signs | before.signs) >> 31)))
        return {1 - bound, 1 + bound, 0};

    const unsigned own = max(max(now.most, before.most), FLOAT_SEEN);
    unsigned most = own;

#pragma unroll
    for (int lane = 1; lane <= MARGIN; lane++)
        most = max(most, max(__shfl_up_sync(ALL_LANES, own, lane),
                             __shfl_down_sync(ALL_LANES, own, lane)));
    return {1, 1, bound * whole * (double)__uint_as_float(most - FLOAT_SEEN)};
}

#endif
