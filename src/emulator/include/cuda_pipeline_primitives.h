// SPDX-License-Identifier: MIT
// Stand-in for CUDA's header of the same name; see ../exec/pipeline.cpp.
#ifndef SMOOTHIMG_EMULATED_CUDA_PIPELINE_PRIMITIVES_H
#define SMOOTHIMG_EMULATED_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

namespace emulated
{

// These functions request a copy for the calling thread, end a group of its copies, and wait for
// its groups.
void ask_for_copy(void *to, const void *from, std::size_t bytes);
void commit_copies();
void wait_for_copies(std::size_t newest); // leaves the last `newest` committed groups pending

} // namespace emulated

// Inlined, so that the tracer attributes the accesses of the assignments to the kernel. By them it
// counts a copy once, as a load from global memory and a store to shared memory. ask_for_copy()
// then overwrites the destination with the complement of the data, until the wait copies the data.
__forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes)
{
    if (bytes == 16)
        *static_cast<uint4 *>(to) = *static_cast<const uint4 *>(from);
    else if (bytes == 8)
        *static_cast<uint2 *>(to) = *static_cast<const uint2 *>(from);
    else
        *static_cast<unsigned *>(to) = *static_cast<const unsigned *>(from);
    emulated::ask_for_copy(to, from, bytes);
}

__forceinline__ void __pipeline_commit()
{
    emulated::commit_copies();
}

__forceinline__ void __pipeline_wait_prior(size_t newest)
{
    emulated::wait_for_copies(newest);
}

#endif
