/* SPDX-License-Identifier: MIT */
/* Calls in which the device computes arrays that lie in host memory. */
#include "src/lib/gpu/cuda.h"

enum status gpu_host_begin(struct gpu *gpu, int64_t src_bytes, int64_t dst_bytes, void **src,
                           void **dst, struct error *error)
{
    enum status status = gpu_enter(gpu, &gpu->was_device, error);

    gpu->lacked_memory = false; /* gpu_grow sets it to true if memory is lacking */
    if (status == STATUS_OK)
        status = gpu_grow(gpu, &gpu->src, src_bytes, "the image", error);
    if (status == STATUS_OK)
        status = gpu_grow(gpu, &gpu->dst, dst_bytes, "the result", error);
    *src = gpu->src.memory;
    *dst = gpu->dst.memory;
    return status == STATUS_OK ? gpu_mark(gpu, UPLOAD_BEGINS, error) : status;
}

static double seconds_between(const struct gpu *gpu, enum gpu_event from, enum gpu_event to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

enum status gpu_host_end(struct gpu *gpu, enum status status, struct gpu_times *times,
                         struct error *error)
{
    if (status == STATUS_OK)
        status = gpu_mark(gpu, DOWNLOAD_ENDS, error);
    if (status == STATUS_OK)
        status = gpu_array_wait(gpu, error);
    if (status == STATUS_OK) {
        times->upload += seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS);
        times->kernel += seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS);
        times->download += seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS);
    } else {
        /* Copies that began before the failure still use the host's memory, which the caller
         * reuses. */
        cudaStreamSynchronize(gpu->stream);
        cudaGetLastError(); /* *error already has the first failure */
    }
    if (gpu->lacked_memory)
        gpu_free_buffers(gpu);
    gpu_unbind(gpu, gpu->was_device);
    return status;
}

bool gpu_lacked_memory(const struct gpu *gpu)
{
    return gpu->lacked_memory;
}
