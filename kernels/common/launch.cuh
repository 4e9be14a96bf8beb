/* SPDX-License-Identifier: MIT */
/* Launches, grids and sample types, for the .cu variants. nvcc compiles the same source for a GPU,
 * and a C++ compiler for the emulated device, whose cuda_runtime.h defines its own LAUNCH and
 * DYN_SHARED. */
#ifndef SMOOTHIMG_LAUNCH_CUH
#define SMOOTHIMG_LAUNCH_CUH

#include "kernels/variant.h"

#include <cuda_runtime.h>

#ifndef LAUNCH
/* LAUNCH(kernel, grid, block, shared bytes, stream, arguments...). Put a kernel with template
 * arguments in parentheses. */
#define LAUNCH(KERNEL, GRID, BLOCK, SHARED_BYTES, STREAM, ...)                                     \
    KERNEL<<<GRID, BLOCK, SHARED_BYTES, (cudaStream_t)(STREAM)>>>(__VA_ARGS__)
/* DYN_SHARED(type, name); declares `type *name`, which points to the dynamic shared memory that the
 * launch allocates, at a multiple of 16. */
#define DYN_SHARED(TYPE, NAME)                                                                     \
    extern __shared__ __align__(16) unsigned char dynamic_shared[];                                \
    TYPE *NAME = reinterpret_cast<TYPE *>(dynamic_shared)
#endif

/* True if the code is compiled for the emulated device, which is slow. If kernels change their
 * method at some size, this size is smaller on the emulated device, so that small tests use both
 * methods. */
#ifdef __NVCC__
#define IS_EMULATED false
#else
#define IS_EMULATED true
#endif

/* Returns an attribute of the current device, or 1 if the query fails. */
static inline int attribute_of_device(cudaDeviceAttr attribute)
{
    int device = 0, value = 1;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

/* Returns how many bytes of dynamic shared memory a kernel may ask for: the most that the GPU gives
 * a block, less 1 KiB for arrays that kernels declare themselves. */
static inline int64_t most_shared_bytes()
{
    return attribute_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
}

/* The dynamic shared memory that a launch may ask for without cudaFuncSetAttribute(): 48 KiB, less
 * 1 KiB for arrays that kernels declare themselves. */
#define ALWAYS_SHARED_BYTES ((int64_t)47 << 10)

/* Lets a launch of the kernel ask for `bytes` of dynamic shared memory. If that takes a higher
 * limit than the default, sets the kernel's limit to the greatest that the GPU allows. If the limit
 * were `bytes`, another thread that needs fewer bytes could lower it between this call and the
 * launch. */
static inline void allow_shared_bytes(const void *kernel, int64_t bytes)
{
    if (bytes > ALWAYS_SHARED_BYTES)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)most_shared_bytes());
}

/* Loads a kernel, so that a later launch need not. Without this, CUDA loads a kernel at its first
 * launch. Lets launches ask for `bytes` of dynamic shared memory. */
static inline void load_kernel(const void *kernel, int64_t bytes)
{
    struct cudaFuncAttributes unused;

    cudaFuncGetAttributes(&unused, kernel);
    allow_shared_bytes(kernel, bytes);
}

/* Returns call.operator()<N>() with N = number, which is from FIRST to LAST. */
template <int FIRST, int LAST, class Call>
static auto with_constant(int64_t number, const Call &call)
{
    if constexpr (FIRST < LAST)
        if (number != FIRST)
            return with_constant<FIRST + 1, LAST>(number, call);
    return call.template operator()<FIRST>();
}

/* Returns whether doubles run at a quarter of the rate of floats or faster. On consumer GPUs they
 * run at a 32nd or a 64th of that rate. */
static inline bool has_quick_doubles()
{
    return attribute_of_device(cudaDevAttrSingleToDoublePrecisionPerfRatio) <= 4;
}

/* LAUNCH_NEXT(...) launches a kernel that calls await_kernel_before(). On Hopper and later, its
 * blocks start while the stream's previous kernel is still ending, which saves one or two
 * microseconds: see "Programmatic Dependent Launch" in the CUDA programming guide. */
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

/* Waits until the stream's previous kernel, and all kernels for which that one waited, have ended.
 * Call it before reading or overwriting the results of these kernels. */
__device__ __forceinline__ void await_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

#define MAX_BLOCK_THREADS 1024

/* Returns what run() of an engine has to return after a launch: NULL if the launch succeeded,
 * otherwise the error's message. */
static inline const char *launched(void)
{
    const cudaError_t error = cudaGetLastError();

    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static inline int64_t blocks_for(int64_t count, int64_t edge)
{
    return (count + edge - 1) / edge;
}

#define MOST_BLOCKS_DOWN 65535 /* the greatest size of a grid in y and in z, on every GPU */

/* Returns MOST_BLOCKS_DOWN or, on the emulated device, a limit that a test can make small. If a
 * kernel needs more blocks, its blocks loop over the rest. */
static inline int64_t most_blocks_down()
{
    return IS_EMULATED ? attribute_of_device(cudaDevAttrMaxGridDimY) : MOST_BLOCKS_DOWN;
}

/* Returns `count`, or the greatest number of blocks that a grid may have in y and in z, if that is
 * less. */
static inline unsigned blocks_down(int64_t count)
{
    const int64_t most = most_blocks_down();

    return (unsigned)(count < most ? count : most);
}

/* Returns a grid of blocks for x_count by y_count threads. The size of a grid in y is limited, so
 * the grid may have too few blocks in y, and kernels loop over y. */
static inline dim3 grid_over(int64_t x_count, int64_t y_count, dim3 block)
{
    return dim3((unsigned)blocks_for(x_count, block.x), blocks_down(blocks_for(y_count, block.y)));
}

/* For the member `refuses` of engines. Returns NULL, or why blocks of the size that --block gives
 * cannot be launched. */
static inline const char *refuses_block(const struct request *request)
{
    return request->block * request->block > MAX_BLOCK_THREADS
               ? "a block may have 1024 threads, that is 32 by 32 at most"
               : NULL;
}

/* Returns call.operator()<T, WEIGHTED>(). T is the piece's sample type, uint8_t or uint16_t;
 * WEIGHTED is true if alpha weights the colours. */
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

/* Returns a square block of threads. The block's edge is the value of --block, or `own_edge`
 * without that option. */
static inline dim3 square_block(const struct piece *piece, int own_edge)
{
    const unsigned edge = (unsigned)(piece->request->block > 0 ? piece->request->block : own_edge);

    return dim3(edge, edge);
}

/* Converts an integer to a double by an addition: puts the integer into the low bits of the
 * mantissa of 2^52, which makes 2^52 + integer, and subtracts 2^52. In the same time an H200
 * executes four times as many additions as conversions. */
__device__ __forceinline__ double double_of(uint32_t integer)
{
    return __hiloint2double(0x43300000, (int)integer) - 0x1p52;
}

template <typename T> __device__ T *row_of(const struct view &view, int64_t y)
{
    return reinterpret_cast<T *>(static_cast<char *>(view.origin) + y * view.stride_bytes);
}

#endif
