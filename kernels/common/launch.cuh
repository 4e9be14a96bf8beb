/* SPDX-License-Identifier: MIT */
/* What the .cu variants share: launching, element types, grids. The same source is compiled by nvcc
 * for a GPU, and by a C++ compiler for the emulated device, whose cuda_runtime.h defines LAUNCH and
 * DYN_SHARED for itself. */
#ifndef SMOOTHIMG_LAUNCH_CUH
#define SMOOTHIMG_LAUNCH_CUH

#include "kernels/variant.h"

#include <cuda_runtime.h>

#ifndef LAUNCH
/* LAUNCH(kernel, grid, block, shared bytes, stream, arguments...); a kernel with template arguments
 * stands in parentheses. */
#define LAUNCH(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                     \
    KERNEL<<<GRID, BLOCK, SHARED_BYTES, (cudaStream_t)(STREAM)>>>(__VA_ARGS__)
/* Shared memory of the size given at the launch: DYN_SHARED(type, name); declares type *name. */
#define DYN_SHARED(TYPE, NAME) DYN_SHARED_AT(16, TYPE, NAME)
/* The same, aligned to so many bytes. */
#define DYN_SHARED_AT(ALIGNMENT, TYPE, NAME)                                                       \
    extern __shared__ __align__(ALIGNMENT)                                                         \
    unsigned char dynamic_shared_##ALIGNMENT[];                                                    \
    TYPE *NAME = reinterpret_cast<TYPE *>(dynamic_shared_##ALIGNMENT)
#endif

/* An attribute of the current device; 1 if it cannot be had. */
static inline int attribute_of_device(cudaDeviceAttr attribute)
{
    int device = 0, value = 1;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

/* Returns call.operator()<N>(), N being that number, from FIRST to LAST. */
template <int FIRST, int LAST, class Call>
static const char *with_constant(int64_t number, const Call &call)
{
    if constexpr (FIRST < LAST)
        if (number != FIRST)
            return with_constant<FIRST + 1, LAST>(number, call);
    return call.template operator()<FIRST>();
}

/* Whether doubles run at a quarter of the rate of floats or faster: GPUs for games have a 32nd or a
 * 64th. */
static inline bool has_quick_doubles()
{
    return attribute_of_device(cudaDevAttrSingleToDoublePrecisionPerfRatio) <= 4;
}

/* LAUNCH_NEXT(...): the same for a kernel that calls await_kernel_before(), whatever is before it
 * in the stream. If that is a kernel, then from Hopper on the blocks come while its own end, which
 * saves one or two microseconds: see "Programmatic Dependent Launch" in the CUDA programming guide.
 */
#ifndef LAUNCH_NEXT
template <typename... Parameters, typename... Arguments>
static void launch_next(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                        void *stream, Arguments &&...arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = grid;
    how.blockDim = block;
    how.dynamicSmemBytes = shared_bytes;
    how.stream = static_cast<cudaStream_t>(stream);
    how.attrs = &early;
    how.numAttrs = attribute_of_device(cudaDevAttrComputeCapabilityMajor) >= 9;
    cudaLaunchKernelEx(&how, kernel, arguments...);
}

#define LAUNCH_NEXT(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                \
    launch_next(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, __VA_ARGS__)

/* Until the kernel before has ended, whose results this one reads or overwrites. What that one
 * waited for has ended too. */
__device__ __forceinline__ void await_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The next kernel's blocks may come, as soon as all of this one have begun. */
__device__ __forceinline__ void let_next_kernel_come()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
#endif

#define MAX_BLOCK_THREADS 1024

/* What run() returns: NULL, or the launch's error in words. Every launch is checked by this. */
static inline const char *launched(void)
{
    const cudaError_t error = cudaGetLastError();

    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static inline int64_t blocks_for(int64_t count, int64_t edge)
{
    return (count + edge - 1) / edge;
}

/* Blocks that a grid holds in y, and in z: 65535 on every GPU, so none is asked for it at each
 * launch; few on the emulated device if a test says so. More than this are worked off in a loop. */
static inline int64_t most_blocks_down()
{
#ifdef __NVCC__
    return 65535;
#else
    return attribute_of_device(cudaDevAttrMaxGridDimY);
#endif
}

/* So many of `count` blocks as a grid holds in y or in z. */
static inline unsigned blocks_down(int64_t count)
{
    const int64_t most = most_blocks_down();

    return (unsigned)(count < most ? count : most);
}

/* Blocks of the given size over x_count by y_count threads; a kernel loops over further y. */
static inline dim3 grid_over(int64_t x_count, int64_t y_count, dim3 block)
{
    return dim3((unsigned)blocks_for(x_count, block.x), blocks_down(blocks_for(y_count, block.y)));
}

/* For `refuses`: NULL, or why the block of --block cannot be launched. */
static inline const char *refuses_block(const struct request *request)
{
    return request->block * request->block > MAX_BLOCK_THREADS
               ? "a block may have 1024 threads, that is 32 by 32 at most"
               : NULL;
}

/* Returns call.operator()<T, WEIGHTED>(): T is the piece's uint8_t or uint16_t; WEIGHTED: alpha
 * weighs its colours. */
template <class Call>
static inline const char *with_samples(const struct piece *piece, const Call &call)
{
    const bool weighted = piece->request->weighted;

    if (piece->src.sample_bytes == 1)
        return weighted ? call.template operator()<uint8_t, true>()
                        : call.template operator()<uint8_t, false>();
    return weighted ? call.template operator()<uint16_t, true>()
                    : call.template operator()<uint16_t, false>();
}

/* The square block of --block, or of the given edge. */
static inline dim3 square_block(const struct piece *piece, int own_edge)
{
    const unsigned edge = (unsigned)(piece->request->block > 0 ? piece->request->block : own_edge);

    return dim3(edge, edge);
}

template <typename T> __device__ T *row_of(const struct view &view, int64_t y)
{
    return reinterpret_cast<T *>(static_cast<char *>(view.origin) + y * view.stride_bytes);
}

#endif
