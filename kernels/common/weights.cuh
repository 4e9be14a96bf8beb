/* SPDX-License-Identifier: MIT */
/* The filter as a kernel's argument. Arguments lie in constant memory, where all lanes of a warp
 * read the same word in one access, and each launch has its own. 8 KiB of arguments need CUDA 12.1.
 */
#ifndef SMOOTHIMG_WEIGHTS_CUH
#define SMOOTHIMG_WEIGHTS_CUH

#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

/* The weights from the centre outwards, in units of 2^-46. The 32-bit halves are separate so that
 * each is one operand of a multiply-add; nvcc would use a half of a 64-bit member as a 64-bit
 * factor. */
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

/* The weight at distance k, -halo..halo. */
__device__ __forceinline__ uint64_t weight_at(const weights &weights, int k)
{
    const int distance = k < 0 ? -k : k;

    return (uint64_t)weights.upper[distance] << 32 | weights.lower[distance];
}

#endif
