/* SPDX-License-Identifier: MIT */
/* Device memory, the layout of an image in it, and copies; pinned memory of the host. */
#include "src/lib/gpu/cuda.h"
#include "kernels/common/numbers.h"

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
        /* Kernels may read what lies between rows, along with the rows' ends. */
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

static bool is_pinned(const struct gpu *gpu, const struct plane *host)
{
    const char *corner = plane_corner(host);

    for (int i = 0; i < GPU_HOST_MEMORIES; i++) {
        const char *memory = gpu->pinned[i].memory;

        if (memory && corner >= memory && corner < memory + gpu->pinned[i].bytes)
            return true;
    }
    return false;
}

enum status gpu_place(struct gpu *gpu, struct buffer *buffer, const struct plane *host,
                      const char *purpose, struct plane *device, struct error *error)
{
    const int64_t before = host->beside.left * host->view.channels * host->view.sample_bytes;
    const int64_t left = round_up(before, DEVICE_ALIGNMENT);
    const int64_t stride = round_up(left + plane_row_bytes(host) - before, DEVICE_ALIGNMENT);
    const enum status status = gpu_grow(gpu, buffer, stride * plane_rows(host), purpose, error);

    *device = *host;
    device->view.stride_bytes = stride;
    if (status == STATUS_OK)
        device->view.origin = (char *)buffer->memory + host->beside.above * stride + left;
    return status;
}

/* By cudaMemcpy2D; row by row where a stride exceeds its limit. */
static enum status copy_plainly(struct gpu *gpu, const struct plane *to, const struct plane *from,
                                enum cudaMemcpyKind kind, struct error *error)
{
    const bool at_once =
        to->view.stride_bytes <= COPY_MAX_PITCH && from->view.stride_bytes <= COPY_MAX_PITCH;
    const int64_t pieces = at_once ? 1 : plane_rows(from);
    const size_t rows = at_once ? (size_t)plane_rows(from) : 1;
    const size_t bytes = (size_t)plane_row_bytes(from);
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < pieces && status == STATUS_OK; i++)
        status = gpu_check(cudaMemcpy2DAsync(plane_corner(to) + i * to->view.stride_bytes,
                                             at_once ? (size_t)to->view.stride_bytes : bytes,
                                             plane_corner(from) + i * from->view.stride_bytes,
                                             at_once ? (size_t)from->view.stride_bytes : bytes,
                                             bytes, rows, kind, gpu->stream),
                           "copying an image", error);
    return status;
}

enum status gpu_copy(struct gpu *gpu, const struct plane *host, const struct plane *device, bool up,
                     int threads, struct error *error)
{
    const int helpers =
        is_pinned(gpu, host) ? 0 : gpu_copy_threads(gpu, plane_bytes(host), threads);

    if (helpers > 0)
        return gpu_staged_copy(gpu, host, device, up, helpers, error);
    return up ? copy_plainly(gpu, device, host, cudaMemcpyHostToDevice, error)
              : copy_plainly(gpu, host, device, cudaMemcpyDeviceToHost, error);
}
