/* SPDX-License-Identifier: MIT */
/* Arrays on the device, events, and the runtime's information on a kernel. */
#include "src/lib/gpu/gpu.h"
#include "src/lib/gpu/cuda.h"

enum status gpu_array_make(struct gpu *gpu, int64_t bytes, const char *purpose, void **memory,
                           struct error *error)
{
    struct buffer buffer = {0};
    enum status status = gpu_bind(gpu, error);

    *memory = NULL;
    gpu->lacked_memory = false; /* gpu_grow sets it to true if memory is lacking */
    if (status == STATUS_OK)
        status = gpu_grow(gpu, &buffer, bytes > 0 ? bytes : 1, purpose, error);
    if (status == STATUS_OK)
        *memory = buffer.memory;
    else
        cudaFree(buffer.memory);
    return status;
}

void gpu_array_free(struct gpu *gpu, void *memory)
{
    if (!memory)
        return;
    cudaSetDevice(gpu->device);
    cudaStreamSynchronize(gpu->stream);
    cudaFree(memory);
    cudaGetLastError(); /* clears the error of an earlier failure, which was reported */
}

enum status gpu_array_wait(struct gpu *gpu, struct error *error)
{
    return gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies",
                     error);
}

static enum status copy(struct gpu *gpu, void *to, const void *from, int64_t bytes,
                        enum cudaMemcpyKind kind, struct error *error)
{
    enum status status = gpu_bind(gpu, error);

    if (status == STATUS_OK)
        status = gpu_check(cudaMemcpyAsync(to, from, (size_t)bytes, kind, gpu->stream),
                           "copying an array", error);
    return status == STATUS_OK ? gpu_array_wait(gpu, error) : status;
}

enum status gpu_array_put(struct gpu *gpu, void *device, const void *host, int64_t bytes,
                          struct error *error)
{
    return copy(gpu, device, host, bytes, cudaMemcpyHostToDevice, error);
}

enum status gpu_array_get(struct gpu *gpu, void *host, const void *device, int64_t bytes,
                          struct error *error)
{
    return copy(gpu, host, device, bytes, cudaMemcpyDeviceToHost, error);
}

enum status gpu_array_copy(struct gpu *gpu, void *to, const void *from, int64_t bytes,
                           struct error *error)
{
    return gpu_check(
        cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, gpu->stream),
        "copying on the device", error);
}

void *gpu_stream(const struct gpu *gpu)
{
    return gpu->stream;
}

enum status gpu_mark(struct gpu *gpu, enum gpu_event event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

enum status gpu_describe_kernel(struct gpu *gpu, const void *kernel, int threads,
                                int64_t dynamic_bytes, struct gpu_kernel *description,
                                struct error *error)
{
    struct cudaFuncAttributes attributes;
    enum status status = gpu_bind(gpu, error);

    *description = (struct gpu_kernel){0, 0, 0};
    if (status == STATUS_OK)
        status = gpu_check(cudaFuncGetAttributes(&attributes, kernel),
                           "asking for a kernel's needs", error);
    if (status == STATUS_OK)
        status = gpu_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                               &description->blocks, kernel, threads, (size_t)dynamic_bytes),
                           "counting a kernel's blocks", error);
    if (status == STATUS_OK) {
        description->registers = attributes.numRegs;
        description->shared_bytes = (int64_t)attributes.sharedSizeBytes;
    }
    return status;
}
