/* SPDX-License-Identifier: MIT */
/* For measuring and for tests: kernels again on what is on the device, and copies there. */
#include "src/lib/gpu/cuda.h"

enum status gpu_finish_timing(struct gpu *gpu, double *seconds, struct error *error)
{
    enum status status = gpu_mark(gpu, KERNEL_ENDS, error);
    float milliseconds = 0;

    if (status == STATUS_OK)
        status = gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernels", error);
    if (status == STATUS_OK)
        status = gpu_check(cudaEventElapsedTime(&milliseconds, gpu->events[KERNEL_BEGINS],
                                                gpu->events[KERNEL_ENDS]),
                           "asking for the time between events", error);
    if (status == STATUS_OK)
        *seconds = 1e-3 * (double)milliseconds;
    return status;
}

enum status gpu_rerun(struct gpu *gpu, int64_t runs, double *seconds, struct error *error)
{
    enum status status;

    if (!gpu->ran)
        return fail(error, STATUS_DEVICE, "device %d holds no image to run on again", gpu->device);
    status = gpu_bind(gpu, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = gpu_run_piece(&gpu->plan, &gpu->last, error);
    return status == STATUS_OK ? gpu_finish_timing(gpu, seconds, error) : status;
}

enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error)
{
    enum status status = gpu_bind(gpu, error);

    gpu->ran = false;
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

void gpu_watch_border(struct gpu *gpu, int64_t pixels)
{
    gpu->watched = pixels;
}
