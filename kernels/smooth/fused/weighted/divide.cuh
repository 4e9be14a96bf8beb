/* SPDX-License-Identifier: MIT */
/* From a pixel's sums N and A to the t's of its samples (fused/arithmetic.cuh). */
#ifndef SMOOTHIMG_FUSED_WEIGHTED_DIVIDE_CUH
#define SMOOTHIMG_FUSED_WEIGHTED_DIVIDE_CUH

#include "kernels/smooth/fused/weighted/filter.cuh"

/* Off by less than 1.01 u of itself, u = 2^-53. The estimate r in floats is off by less than 2^-21:
 * 2^-24 by the conversion, 2 units of the last place by __fdividef. With e = 1 - a r the reciprocal
 * is r (1 + e + e^2 + ...), of which e^3 and what follows is below 2^-62. The last fma rounds the
 * result, the others no more than e. The operator / would branch, so that the reciprocals of a run
 * would wait for each other. */
__device__ __forceinline__ double reciprocal(double a)
{
    const double r = __fdividef(1, (float)a), e = fma(-a, r, 1.0);

    return fma(r, fma(e, e, e), r);
}

/* A t whose whole number does not exceed maxval; its fraction stays. */
__device__ __forceinline__ double clamp_whole(double t, uint32_t maxval)
{
    return __hiloint2double(min(__double2hiint(t), (int)(0x41300000 + maxval)), __double2loint(t));
}

/* A pixel's sums become its t's (fused/arithmetic.cuh), with alpha's no greater than maxval. Where
 * alpha is 0 all over the window the colours' t's mean nothing. */
template <int CHANNELS>
__device__ __forceinline__ void divide(double (&totals)[CHANNELS], const weighted_filter &filter)
{
    const double inverse = reciprocal(totals[CHANNELS - 1]);

#pragma unroll
    for (int c = 0; c < CHANNELS - 1; c++)
        totals[c] = fma(totals[c], inverse, filter.offset);
    totals[CHANNELS - 1] = clamp_whole(totals[CHANNELS - 1] + filter.offset, filter.maxval);
}

template <int CHANNELS>
__device__ __forceinline__ uint32_t lowest_fraction(const double (&t)[CHANNELS])
{
    uint32_t lowest = totals_in_doubles::fraction(t[0]);

#pragma unroll
    for (int c = 1; c < CHANNELS; c++)
        lowest = min(lowest, totals_in_doubles::fraction(t[c]));
    return lowest;
}

#endif
