// SPDX-License-Identifier: MIT
// Stand-in for CUDA's header of the same name. A copy is made at once: the earliest that a GPU may
// make it, so that a kernel that asks for one into memory still in use goes wrong.
#ifndef SMOOTHIMG_EMULATED_CUDA_PIPELINE_PRIMITIVES_H
#define SMOOTHIMG_EMULATED_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

// Inlined, so that tracing sees the accesses in the kernel that makes them.
__forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes)
{
    if (bytes == 16)
        *static_cast<uint4 *>(to) = *static_cast<const uint4 *>(from);
    else if (bytes == 8)
        *static_cast<uint2 *>(to) = *static_cast<const uint2 *>(from);
    else
        *static_cast<unsigned *>(to) = *static_cast<const unsigned *>(from);
}

inline void __pipeline_commit() {}

inline void __pipeline_wait_prior(size_t) {}

#endif
