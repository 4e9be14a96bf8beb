/* SPDX-License-Identifier: MIT */
/* Arrays on the device, times by events in the stream, and the runtime's information on a kernel.
 */
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

void *gpu_stream(const struct gpu *gpu)
{
    return gpu->stream;
}

enum status gpu_mark(struct gpu *gpu, enum gpu_event event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

double gpu_seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

/* Waits for all work in gpu_stream. Sets *seconds to the time from KERNEL_BEGINS to the end of this
 * work. */
static enum status finish_timing(struct gpu *gpu, double *seconds, struct error *error)
{
    enum status status = gpu_mark(gpu, KERNEL_ENDS, error);

    if (status == STATUS_OK)
        status = gpu_array_wait(gpu, error);
    if (status == STATUS_OK)
        *seconds = gpu_seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS);
    return status;
}

enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error)
{
    enum status status = gpu_bind(gpu, error);

    if (status == STATUS_OK)
        status = gpu_grow(gpu, &gpu->src, bytes, "a copy's source", error);
    if (status == STATUS_OK)
        status = gpu_grow(gpu, &gpu->dst, bytes, "a copy", error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = gpu_check(cudaMemcpyAsync(gpu->dst.memory, gpu->src.memory, (size_t)bytes,
                                           cudaMemcpyDeviceToDevice, gpu->stream),
                           "copying on the device", error);
    return status == STATUS_OK ? finish_timing(gpu, seconds, error) : status;
}

enum status gpu_time_launches(struct gpu *gpu, gpu_launch *launch, void *context, const char *name,
                              int64_t runs, double *seconds, struct error *error)
{
    const char *failure = NULL;
    enum status status = gpu_bind(gpu, error);
    struct error unused;

    *seconds = 0;
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK && !failure; i++)
        failure = launch(context);
    if (failure)
        status = fail(error, STATUS_DEVICE, "the GPU failed: starting %s: %s", name, failure);
    if (status == STATUS_OK)
        return finish_timing(gpu, seconds, error);
    gpu_array_wait(gpu, &unused); /* launches before the failure still run */
    return status;
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
