/* SPDX-License-Identifier: MIT */
/* Device memory, where an image lies in it, and the way there and back. */
#include "gpu_cuda.h"

#define DEVICE_ALIGNMENT 256 /* bytes; of every row's first pixel: whole sectors and lines */

enum status gpu_grow(struct gpu *gpu, struct buffer *buffer, int64_t bytes, const char *purpose,
                     struct error *error)
{
    size_t available = 0, total = 0;

    if (bytes <= buffer->bytes)
        return STATUS_OK;
    cudaFree(buffer->memory);
    *buffer = (struct buffer){0};
    if (cudaMalloc(&buffer->memory, (size_t)bytes) == cudaSuccess) {
        buffer->bytes = bytes;
        /* Kernels may read what lies between rows, along with the rows' ends. */
        return gpu_check(cudaMemsetAsync(buffer->memory, 0, (size_t)bytes, gpu->stream),
                         "clearing memory", error);
    }
    cudaGetLastError();
    buffer->memory = NULL;
    cudaMemGetInfo(&available, &total);
    return fail(error, STATUS_DEVICE,
                "device %d has no memory for %s: %lld bytes are needed, %zu of its %zu are free; "
                "use --variant cpu",
                gpu->device, purpose, (long long)bytes, available, total);
}

static int64_t aligned(int64_t bytes)
{
    return (bytes + DEVICE_ALIGNMENT - 1) / DEVICE_ALIGNMENT * DEVICE_ALIGNMENT;
}

static int64_t pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

/* Where the rectangle begins, and how many bytes and rows it has. */
static char *corner(const struct plane *plane)
{
    return (char *)plane->view.origin - plane->border * plane->view.stride_bytes -
           plane->border * pixel_bytes(&plane->view);
}

static int64_t row_bytes(const struct plane *plane)
{
    return (plane->view.width + 2 * plane->border) * pixel_bytes(&plane->view);
}

static int64_t rows(const struct plane *plane)
{
    return plane->view.height + 2 * plane->border;
}

int64_t plane_bytes(const struct plane *plane)
{
    return rows(plane) * row_bytes(plane);
}

enum status gpu_place(struct gpu *gpu, struct buffer *buffer, const struct plane *host,
                      int64_t phase, const char *purpose, struct plane *device, struct error *error)
{
    const int64_t border_bytes = host->border * pixel_bytes(&host->view);
    const int64_t left = aligned(border_bytes) + phase;
    const int64_t stride = aligned(left + row_bytes(host) - border_bytes);
    const enum status status = gpu_grow(gpu, buffer, stride * rows(host), purpose, error);

    *device = *host;
    device->view.stride_bytes = stride;
    if (status == STATUS_OK)
        device->view.origin = (char *)buffer->memory + host->border * stride + left;
    return status;
}

/* Row by row where a stride is more than a two-dimensional copy may have. */
enum status gpu_copy(struct gpu *gpu, const struct plane *to, const struct plane *from,
                     enum cudaMemcpyKind kind, struct error *error)
{
    const int64_t most = (int64_t)1 << 31;
    const bool at_once = to->view.stride_bytes < most && from->view.stride_bytes < most;
    const int64_t pieces = at_once ? 1 : rows(from), piece_rows = at_once ? rows(from) : 1;
    enum status status = STATUS_OK;

    for (int64_t i = 0; i < pieces && status == STATUS_OK; i++)
        status = gpu_check(
            cudaMemcpy2DAsync(corner(to) + i * to->view.stride_bytes,
                              at_once ? (size_t)to->view.stride_bytes : (size_t)row_bytes(from),
                              corner(from) + i * from->view.stride_bytes,
                              at_once ? (size_t)from->view.stride_bytes : (size_t)row_bytes(from),
                              (size_t)row_bytes(from), (size_t)piece_rows, kind, gpu->stream),
            "copying an image", error);
    return status;
}
