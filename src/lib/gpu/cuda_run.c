/* SPDX-License-Identifier: MIT */
/* Runs a variant on the device, and times it with CUDA events. */
#include "src/lib/gpu/cuda.h"

enum status gpu_mark(struct gpu *gpu, int event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

static enum status launch(const struct variant *variant, const struct job *job, struct error *error)
{
    const char *failure = variant->run(job);

    if (failure)
        return fail(error, STATUS_DEVICE, "the GPU failed: starting variant %s: %s", variant->name,
                    failure);
    return STATUS_OK;
}

static double seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

/* Waits for the stream, and sets gpu->times. */
static enum status take_times(struct gpu *gpu, const struct plane *src, const struct plane *dst,
                              struct error *error)
{
    const enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies", error);

    if (status == STATUS_OK)
        gpu->times = (struct gpu_times){
            .upload = seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS),
            .kernel = seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS),
            .download = seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS),
            .upload_bytes = plane_bytes(src),
            .download_bytes = plane_bytes(dst),
        };
    return status;
}

/* Uploads, launches and downloads, with an event between each two steps, and waits. job: with the
 * device's views and scratch. host and device: the planes of src and dst. */
static enum status copy_and_launch(struct gpu *gpu, const struct variant *variant,
                                   const struct job *job, const struct plane host[2],
                                   const struct plane device[2], struct error *error)
{
    enum status status = gpu_mark(gpu, UPLOAD_BEGINS, error);

    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[0], &device[0], true, job->threads, error);
    if (status == STATUS_OK && gpu->watched >= 0)
        status = gpu_copy(gpu, &host[1], &device[1], true, job->threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = launch(variant, job, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_ENDS, error);
    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[1], &device[1], false, job->threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, DOWNLOAD_ENDS, error);
    if (status == STATUS_OK)
        return take_times(gpu, &host[0], &host[1], error);
    /* Copies begun before the failure use the host's memory, which the caller reuses. */
    cudaStreamSynchronize(gpu->stream);
    cudaGetLastError(); /* *error already has the first failure */
    return status;
}

/* Adds scratch and the stream to the job. */
static enum status add_scratch(struct gpu *gpu, const struct variant *variant, struct job *equipped,
                               struct error *error)
{
    const size_t bytes = variant->scratch_bytes ? variant->scratch_bytes(equipped) : 0;
    const enum status status =
        gpu_grow(gpu, &gpu->scratch, (int64_t)bytes, "the work between", error);

    equipped->scratch = gpu->scratch.memory;
    equipped->stream = gpu->stream;
    return status;
}

/* Allocates memory on the device, and runs the job there. */
static enum status run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                       struct error *error)
{
    const struct plane host[2] = {{job->src, job->halo},
                                  {job->dst, gpu->watched > 0 ? gpu->watched : 0}};
    struct plane device[2];
    struct job equipped = *job;
    enum status status = gpu_bind(gpu, error);
    /* Asks the device: after gpu_bind. */
    const int64_t phase = variant->src_phase ? variant->src_phase(job) : 0;

    gpu->last_variant = NULL;
    if (status == STATUS_OK)
        status = gpu_place(gpu, &gpu->src, &host[0], phase, "the image", &device[0], error);
    if (status == STATUS_OK)
        status = gpu_place(gpu, &gpu->dst, &host[1], 0, "the result", &device[1], error);
    if (status != STATUS_OK)
        return status;
    equipped.src = device[0].view;
    equipped.dst = device[1].view;
    status = add_scratch(gpu, variant, &equipped, error);
    if (status == STATUS_OK)
        status = copy_and_launch(gpu, variant, &equipped, host, device, error);
    if (status == STATUS_OK) {
        gpu->last = equipped;
        gpu->last_variant = variant;
    }
    return status;
}

enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                    struct error *error)
{
    struct buffer *const buffers[] = {&gpu->src, &gpu->dst, &gpu->scratch};
    enum status status;

    gpu->lacked_memory = false; /* gpu_grow sets it */
    status = run(gpu, variant, job, error);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && gpu->lacked_memory; i++) {
        cudaFree(buffers[i]->memory);
        *buffers[i] = (struct buffer){0};
    }
    return status;
}

bool gpu_lacked_memory(const struct gpu *gpu)
{
    return gpu->lacked_memory;
}

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

    if (!gpu->last_variant)
        return fail(error, STATUS_DEVICE, "device %d holds no image to run on again", gpu->device);
    status = gpu_bind(gpu, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = launch(gpu->last_variant, &gpu->last, error);
    return status == STATUS_OK ? gpu_finish_timing(gpu, seconds, error) : status;
}

enum status gpu_time_copy(struct gpu *gpu, int64_t bytes, int64_t runs, double *seconds,
                          struct error *error)
{
    enum status status = gpu_bind(gpu, error);

    gpu->last_variant = NULL;
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

struct gpu_times gpu_last_times(const struct gpu *gpu)
{
    return gpu->times;
}

void gpu_watch_border(struct gpu *gpu, int64_t pixels)
{
    gpu->watched = pixels;
}
