/* SPDX-License-Identifier: MIT */
/* Functions of the CUDA runtime that fail when the preloaded library says so (inject.h). The
 * linker's --wrap puts these functions in place of the functions of the emulated device. A function
 * that frees something frees it even if it reports a failure. The launch of a kernel has no
 * wrapper: it counts as failed if the cudaGetLastError that follows it fails. */
#include "tests/faults/inject.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static cudaError_t fault(void)
{
    int (*next)(enum kind kind);
    void *const found = dlsym(RTLD_DEFAULT, "inject");

    memcpy(&next, &found, sizeof found);
    return next ? (cudaError_t)next(KIND_CUDA) : cudaSuccess;
}

/* Defines a wrapper of the function `name`. The wrapper returns the error of fault(),
 * if there is one; else it calls the real function. */
#define FAILS(name, parameters, arguments)                                                         \
    cudaError_t __real_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters;                                                          \
    cudaError_t __wrap_##name parameters                                                           \
    {                                                                                              \
        const cudaError_t error = fault();                                                         \
                                                                                                   \
        return error != cudaSuccess ? error : __real_##name arguments;                             \
    }

/* Defines a wrapper of a function that frees something: makes the call in any case, and then
 * returns the error of fault(), if there is one. */
#define FREES(name, type)                                                                          \
    cudaError_t __real_##name(type what);                                                          \
    cudaError_t __wrap_##name(type what);                                                          \
    cudaError_t __wrap_##name(type what)                                                           \
    {                                                                                              \
        const cudaError_t error = fault(), result = __real_##name(what);                           \
                                                                                                   \
        return error != cudaSuccess ? error : result;                                              \
    }

FAILS(cudaGetDeviceCount, (int *count), (count))
#ifndef DEVICE /* with DEVICE, calls.c itself calls these two, to check the current device */
FAILS(cudaGetDevice, (int *device), (device))
FAILS(cudaSetDevice, (int device), (device))
#endif
FAILS(cudaGetDeviceProperties, (struct cudaDeviceProp * about, int device), (about, device))
FAILS(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute, int device),
      (value, attribute, device))
FAILS(cudaDeviceSynchronize, (void), ())
FAILS(cudaFuncSetAttribute, (const void *kernel, enum cudaFuncAttribute attribute, int value),
      (kernel, attribute, value))
FAILS(cudaGetLastError, (void), ())
FAILS(cudaStreamCreate, (cudaStream_t * stream), (stream))
FAILS(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
FAILS(cudaStreamSynchronize, (cudaStream_t stream), (stream))
FAILS(cudaEventCreate, (cudaEvent_t * event), (event))
FAILS(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
FAILS(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAILS(cudaEventSynchronize, (cudaEvent_t event), (event))
FAILS(cudaEventElapsedTime, (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
      (milliseconds, start, end))
FAILS(cudaMalloc, (void **pointer, size_t bytes), (pointer, bytes))
FAILS(cudaHostAlloc, (void **pointer, size_t bytes, unsigned flags), (pointer, bytes, flags))
FAILS(cudaMemGetInfo, (size_t * available, size_t *total), (available, total))
FAILS(cudaMemcpyAsync,
      (void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream),
      (dst, src, bytes, kind, stream))
FAILS(cudaMemcpy2DAsync,
      (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
       enum cudaMemcpyKind kind, cudaStream_t stream),
      (dst, dst_pitch, src, src_pitch, width, height, kind, stream))
FAILS(cudaMemsetAsync, (void *pointer, int value, size_t bytes, cudaStream_t stream),
      (pointer, value, bytes, stream))
FREES(cudaFree, void *)
FREES(cudaFreeHost, void *)
FREES(cudaStreamDestroy, cudaStream_t)
FREES(cudaEventDestroy, cudaEvent_t)
