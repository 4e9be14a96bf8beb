// SPDX-License-Identifier: MIT
// Stand-in for CUDA's header of the same name: with it first on the include path, a .cu file
// compiles as C++20. Threads of a block run one at a time, each until it waits
// (../exec/scheduler.cpp).
#ifndef SMOOTHIMG_EMULATED_CUDA_RUNTIME_H
#define SMOOTHIMG_EMULATED_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"
#include "emulated_vectors.h"

#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __align__(BYTES) __attribute__((aligned(BYTES)))

// Blocks run one after another, so one static array serves them all. The tag becomes part of the
// symbol's name, by which ../runtime/symbols.cpp finds the array and its size. AddressSanitizer
// adds red zones to the array, as to all static arrays.
#define __shared__ static __attribute__((abi_tag("shared")))

// Macros for dynamic shared memory and launches. kernels/common/launch.cuh describes them, and
// defines them for CUDA.
#define DYN_SHARED(TYPE, NAME) TYPE *NAME = static_cast<TYPE *>(emulated::dynamic_shared())
#define LAUNCH(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                     \
    emulated::launch(#KERNEL, false, KERNEL, GRID, BLOCK, SHARED_BYTES,                            \
                     (cudaStream_t)(STREAM)__VA_OPT__(, ) __VA_ARGS__)
#define LAUNCH_NEXT(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                \
    emulated::launch(#KERNEL, true, KERNEL, GRID, BLOCK, SHARED_BYTES,                             \
                     (cudaStream_t)(STREAM)__VA_OPT__(, ) __VA_ARGS__)

// The emulator assigns to these variables; for kernels they are constants.
#ifdef EMULATED_MACHINE
#define EMULATED_CONST
#else
#define EMULATED_CONST const
#endif
extern EMULATED_CONST uint3 threadIdx, blockIdx;
extern EMULATED_CONST dim3 blockDim, gridDim;

// Marks functions whose memory accesses the tracer must not see: host code around a kernel, and
// atomic operations, which report their accesses by note_atomic().
#if defined(__SANITIZE_THREAD__) && defined(__GNUC__) && !defined(__clang__)
#define EMULATED_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else
#define EMULATED_UNTRACED
#endif

namespace emulated
{

struct place { // a source line, for messages
    const char *file;
    int line;
};
// The last parameter of a function, whose default value is the source line of the call.
#define EMULATED_WHERE emulated::place where = {__builtin_FILE(), __builtin_LINE()}

enum class warp_op { sync, shuffle, ballot, product };

// wait_for_block waits for all threads of the block, and returns true if the vote of any thread is
// true. wait_for_lanes waits for those lanes of the warp that are in the mask. For a shuffle it
// returns the bits that lane `source` passed; for a ballot it returns a mask of the lanes whose
// bits are not 0.
bool wait_for_block(bool vote, place where);
uint64_t wait_for_lanes(warp_op op, unsigned mask, uint64_t bits, int source, place where);
int current_lane();

void *dynamic_shared();
void note_atomic(const void *address, std::size_t bytes); // for tracing

// Checks the launch and appends it to the stream. Errors are reported by cudaGetLastError.
void submit(const char *name, const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
            cudaStream_t stream, std::function<void()> thread);

// On a GPU, a kernel that LAUNCH_NEXT launched may begin before the previous kernel has ended, so
// each of its threads must call await_kernel_before(). At the end of a thread,
// check_that_it_awaited() faults if the thread has not done so.
void await_kernel_before();
void check_that_it_awaited();

// Copies the arguments at the launch, as CUDA does.
template <typename... P, typename... A>
void launch(const char *name, bool awaits, void (*kernel)(P...), dim3 grid, dim3 block,
            size_t shared_bytes, cudaStream_t stream, A &&...arguments)
{
    std::tuple<std::remove_cv_t<P>...> values(static_cast<A &&>(arguments)...);

    submit(name, reinterpret_cast<const void *>(kernel), grid, block, shared_bytes, stream,
           [kernel, values, awaits]() EMULATED_UNTRACED {
               std::apply(kernel, values);
               if (awaits)
                   check_that_it_awaited();
           });
}

} // namespace emulated

inline void __syncthreads(EMULATED_WHERE)
{
    emulated::wait_for_block(false, where);
}

inline int __syncthreads_or(int predicate, EMULATED_WHERE)
{
    return emulated::wait_for_block(predicate != 0, where);
}

// Emulated kernels run one after another, so there is no kernel to wait for. This function only
// records the call (see LAUNCH_NEXT in kernels/common/launch.cuh).
inline void await_kernel_before()
{
    emulated::await_kernel_before();
}

#include "emulated_intrinsics.h"

// The overloads that CUDA has for C++.
template <typename T> cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void **>(pointer), bytes);
}

template <typename... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}

#endif
