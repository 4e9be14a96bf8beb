/* SPDX-License-Identifier: MIT */
/* The filter as a kernel's argument: it lies in constant memory, where all lanes of a warp read the
 * same word in one access, and belongs to its launch alone. (8 KiB: CUDA 12.1 or later.) */
#ifndef SMOOTHIMG_WEIGHTS_CUH
#define SMOOTHIMG_WEIGHTS_CUH

#include "exact.h"
#include "variant.h"

struct weights {
    int halo;
    uint32_t maxval;
    uint64_t w[MAX_HALO + 1]; /* from the centre outwards */
};

static inline struct weights weights_of(const struct job *job)
{
    struct weights weights = {(int)job->halo, job->maxval, {0}};

    for (int64_t k = 0; k <= job->halo; k++)
        weights.w[k] = job->weights[job->halo + k];
    return weights;
}

#endif
