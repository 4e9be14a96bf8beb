/* SPDX-License-Identifier: MIT */
/* Computes exact_mean() of common/exact.h on GPUs, where a 128-bit division takes hundreds of
 * instructions. The quotient has 16 bits, so a float can estimate it with an error of at most
 * one. */
#ifndef SMOOTHIMG_MEAN_CUH
#define SMOOTHIMG_MEAN_CUH

#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

/* Returns floor(colours / cover + 1/2), which is below 2^16. colours: the weighted sum of alpha
 * times colour; cover: the weighted sum of alpha, not 0.
 *
 * If the cover has more than 32 bits, both numbers are first shifted right, until the cover has 32:
 * this changes the quotient, which is below 2^16, by less than 2^16 * 2^-31. Two conversions and a
 * division in floats add a relative error below 2^-22. So the estimate is off by less than
 * 2^16 * 2^-21 < 1, and its integer part by one at most. */
__device__ __forceinline__ uint32_t mean_of(uint128 colours, uint128 cover)
{
    const uint64_t high = (uint64_t)(cover >> 64);
    const int bits = high ? 128 - __clzll((long long)high) : 64 - __clzll((long long)cover);
    const int cut = bits > 32 ? bits - 32 : 0;
    uint32_t mean = (uint32_t)((float)(uint64_t)(colours >> cut) / (float)(uint32_t)(cover >> cut));
    uint128 rest = colours - (uint128)mean * cover;

    if (rest >> 127) { /* negative: the estimate was too great */
        mean--;
        rest += cover;
    } else if (rest >= cover) {
        mean++;
        rest -= cover;
    }
    return mean + (rest >= cover - rest);
}

#endif
