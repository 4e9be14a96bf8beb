/* SPDX-License-Identifier: MIT */
/* The filter as a kernel's argument: it lies in constant memory, where all lanes of a warp read the
 * same word in one access, and belongs to its launch alone. (8 KiB of arguments: CUDA 12.1 or
 * later.) */
#ifndef SMOOTHIMG_WEIGHTS_CUH
#define SMOOTHIMG_WEIGHTS_CUH

#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

/* The weights from the centre outwards, in halves: a 32-bit factor is one operand of a
 * multiply-add, and nvcc takes a half of a 64-bit one for a 64-bit number still. */
struct weights {
    int halo;
    uint32_t maxval;
    uint32_t lower[MAX_HALO + 1];
    uint32_t upper[MAX_HALO + 1]; /* below 2^16, and so is the sum over a whole window */
};

static inline struct weights weights_of(const struct job *job)
{
    struct weights weights = {(int)job->halo, job->maxval, {0}, {0}};

    for (int64_t k = 0; k <= job->halo; k++) {
        weights.lower[k] = (uint32_t)job->weights[job->halo + k];
        weights.upper[k] = (uint32_t)(job->weights[job->halo + k] >> 32);
    }
    return weights;
}

/* w(k), k = -halo..halo */
__device__ __forceinline__ uint64_t weight_at(const weights &weights, int k)
{
    const int distance = k < 0 ? -k : k;

    return (uint64_t)weights.upper[distance] << 32 | weights.lower[distance];
}

#endif
