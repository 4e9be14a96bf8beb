/* SPDX-License-Identifier: MIT */
/* Times, by events in the stream; and copies on the device, to measure them. */
#include "src/lib/gpu/cuda.h"

enum status gpu_mark(struct gpu *gpu, int event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

double gpu_seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

enum status gpu_finish_timing(struct gpu *gpu, double *seconds, struct error *error)
{
    enum status status = gpu_mark(gpu, KERNEL_ENDS, error);

    if (status == STATUS_OK)
        status = gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernels", error);
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
    return status == STATUS_OK ? gpu_finish_timing(gpu, seconds, error) : status;
}
