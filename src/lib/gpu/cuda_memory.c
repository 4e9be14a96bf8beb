/* SPDX-License-Identifier: MIT */
/* Device memory, pinned host memory, and copies. */
#include "src/lib/gpu/cuda.h"

enum status gpu_grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                     struct error *error)
{
    size_t available = 0, total = 0;
    cudaError_t result;

    if (bytes <= buffer->bytes)
        return STATUS_OK;
    cudaFree(buffer->memory);
    *buffer = (struct buffer){0};
    gpu->lacked_memory = false;
    result = cudaMalloc(&buffer->memory, (size_t)bytes);
    if (result == cudaSuccess) {
        buffer->bytes = bytes;
        /* Clears the memory: kernels that read a row's end in aligned units also read the bytes
         * between rows, which would be undefined otherwise. */
        return gpu_check(cudaMemsetAsync(buffer->memory, 0, (size_t)bytes, gpu->stream),
                         "clearing memory", error);
    }
    buffer->memory = NULL;
    if (result != cudaErrorMemoryAllocation)
        return gpu_check(result, "asking for memory", error);
    cudaGetLastError();
    gpu->lacked_memory = true;
    cudaMemGetInfo(&available, &total);
    return fail(error, STATUS_DEVICE,
                "device %d has no memory for %s: %lld bytes are needed, %zu of its %zu are free",
                gpu->device, purpose, (long long)bytes, available, total);
}

void gpu_free_buffers(struct gpu *gpu)
{
    cudaFree(gpu->src.memory);
    cudaFree(gpu->dst.memory);
    cudaFree(gpu->work.memory);
    gpu->src = gpu->dst = gpu->work = (struct buffer){0};
}

enum status gpu_host_memory(struct gpu *gpu, int which, int64_t bytes, void **memory,
                            struct error *error)
{
    struct buffer *buffer = &gpu->pinned[which];

    if (bytes > buffer->bytes) {
        const enum status status = gpu_bind(gpu, error);

        if (status != STATUS_OK)
            return status;
        cudaFreeHost(buffer->memory);
        *buffer = (struct buffer){0};
        if (cudaHostAlloc(&buffer->memory, (size_t)bytes, cudaHostAllocDefault) != cudaSuccess) {
            cudaGetLastError();
            buffer->memory = NULL;
            return fail(error, STATUS_DEVICE,
                        "device %d has no %lld bytes of the host's memory to copy from and to",
                        gpu->device, (long long)bytes);
        }
        buffer->bytes = bytes;
    }
    *memory = buffer->memory;
    return STATUS_OK;
}

static bool is_pinned(const struct gpu *gpu, const char *host)
{
    for (int i = 0; i < GPU_HOST_MEMORIES; i++) {
        const char *memory = gpu->pinned[i].memory;

        if (memory && host >= memory && host < memory + gpu->pinned[i].bytes)
            return true;
    }
    return false;
}

/* Copies with cudaMemcpy2D, or row by row if a pitch exceeds its limit. */
static enum status copy_plainly(struct gpu *gpu, const struct gpu_rows *to,
                                const struct gpu_rows *from, enum cudaMemcpyKind kind,
                                struct error *error)
{
    const size_t bytes = (size_t)from->bytes;
    enum status status = STATUS_OK;

    if (to->pitch <= COPY_MAX_PITCH && from->pitch <= COPY_MAX_PITCH)
        return gpu_check(cudaMemcpy2DAsync(to->first, (size_t)to->pitch, from->first,
                                           (size_t)from->pitch, bytes, (size_t)from->rows, kind,
                                           gpu->stream),
                         "copying an image", error);
    for (int64_t i = 0; i < from->rows && status == STATUS_OK; i++)
        status = gpu_check(cudaMemcpyAsync((char *)to->first + i * to->pitch,
                                           (char *)from->first + i * from->pitch, bytes, kind,
                                           gpu->stream),
                           "copying an image", error);
    return status;
}

enum status gpu_host_copy(struct gpu *gpu, const struct gpu_rows *host, void *device,
                          int64_t device_pitch, bool up, int threads, struct error *error)
{
    const struct gpu_rows there = {device, device_pitch, host->bytes, host->rows};
    const int helpers =
        is_pinned(gpu, host->first) ? 0 : gpu_copy_threads(gpu, host->rows * host->bytes, threads);

    if (helpers > 0)
        return gpu_staged_copy(gpu, host, &there, up, helpers, error);
    return up ? copy_plainly(gpu, &there, host, cudaMemcpyHostToDevice, error)
              : copy_plainly(gpu, host, &there, cudaMemcpyDeviceToHost, error);
}
