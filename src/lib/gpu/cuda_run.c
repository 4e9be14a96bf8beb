/* SPDX-License-Identifier: MIT */
/* Runs variants on the device, and times them with CUDA events. */
#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/gpu/cuda.h"

/* The planes of a run: its source, and its result. */
enum { SOURCE, RESULT, PLANES };

/* What gpu_run works on. */
struct run {
    const struct variant *variant;
    struct job job; /* the caller's, with a plan */
    struct plane host[PLANES];
    struct plane device[PLANES]; /* in gpu->src and gpu->dst */
};

enum status gpu_mark(struct gpu *gpu, int event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

enum status gpu_launch_variant(const struct variant *variant, const struct job *job,
                               struct error *error)
{
    const char *failure = run_stack(variant, job);

    if (failure)
        return fail(error, STATUS_DEVICE, "the GPU failed: starting variant %s: %s", variant->name,
                    failure);
    return STATUS_OK;
}

/* All images of a stack, as one. */
static struct view whole_stack(const struct view *first, int64_t images, int64_t apart)
{
    struct view whole = *first;

    if (images > 1)
        whole.height += (images - 1) * (apart / first->stride_bytes);
    return whole;
}

/* The first of the images that the host has in *host, in a plane that holds all of them. */
static struct view first_of_stack(const struct plane *plane, const struct view *host,
                                  int64_t *apart)
{
    struct view first = plane->view;

    first.height = host->height;
    *apart = *apart / host->stride_bytes * first.stride_bytes;
    return first;
}

/* What the filter reaches beside the job's pixels, as far as it is there. */
static struct beside reached(const struct job *job)
{
    const struct beside *beside = &job->beside;

    return (struct beside){min(beside->left, job->halo_x), min(beside->right, job->halo_x),
                           min(beside->above, job->halo_y), min(beside->below, job->halo_y)};
}

/* The job on the device, without scratch. */
static struct job device_job(const struct gpu *gpu, const struct run *run)
{
    struct job job = run->job;

    job.stream = gpu->stream;
    job.src = run->device[SOURCE].view;
    job.beside = run->device[SOURCE].beside;
    job.dst = run->device[RESULT].view;
    if (job.images > 1) {
        job.src = first_of_stack(&run->device[SOURCE], &run->job.src, &job.src_apart);
        job.dst = first_of_stack(&run->device[RESULT], &run->job.dst, &job.dst_apart);
    }
    return job;
}

static enum status launch(struct gpu *gpu, const struct run *run, struct error *error)
{
    enum status status;

    gpu->last = device_job(gpu, run);
    gpu->last.scratch = gpu->scratch.memory;
    status = gpu_launch_variant(run->variant, &gpu->last, error);
    return status == STATUS_OK ? gpu_mark(gpu, KERNEL_ENDS, error) : status;
}

double gpu_seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

/* Waits for the stream, and takes the times. */
static enum status take_times(struct gpu *gpu, const struct run *run, struct gpu_times *times,
                              struct error *error)
{
    const struct plane result = {.view = run->device[RESULT].view};
    const enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies", error);

    if (status == STATUS_OK)
        *times =
            (struct gpu_times){.upload = gpu_seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS),
                               .kernel = gpu_seconds_between(gpu, KERNEL_BEGINS, KERNEL_ENDS),
                               .download = gpu_seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS),
                               .upload_bytes = plane_bytes(&run->host[SOURCE]),
                               .kernel_bytes = 2 * plane_bytes(&result),
                               .download_bytes = plane_bytes(&run->host[RESULT])};
    return status;
}

/* Uploads, launches and downloads, with an event between each two steps, and waits. */
static enum status copy_and_launch(struct gpu *gpu, const struct run *run, struct gpu_times *times,
                                   struct error *error)
{
    const int threads = run->job.threads;
    const struct plane *host = run->host, *device = run->device;
    enum status status = gpu_mark(gpu, UPLOAD_BEGINS, error);

    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[SOURCE], &device[SOURCE], true, threads, error);
    if (status == STATUS_OK && gpu->watched >= 0)
        status = gpu_copy(gpu, &host[RESULT], &device[RESULT], true, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    if (status == STATUS_OK)
        status = launch(gpu, run, error);
    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[RESULT], &device[RESULT], false, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, DOWNLOAD_ENDS, error);
    if (status == STATUS_OK)
        return take_times(gpu, run, times, error);
    /* Copies begun before the failure use the host's memory, which the caller reuses. */
    cudaStreamSynchronize(gpu->stream);
    cudaGetLastError(); /* *error already has the first failure */
    return status;
}

enum status gpu_plan(struct gpu *gpu, const struct variant *variant, struct job *job,
                     struct engine_plan *plan, struct error *error)
{
    enum status status = gpu_bind(gpu, error); /* engines are chosen by what the device is */
    struct job placed = *job; /* as place_all will lay it out, and so nowhere yet */

    placed.src.origin = placed.dst.origin = NULL;
    placed.src.stride_bytes = round_up(placed.src.stride_bytes, DEVICE_ALIGNMENT);
    placed.dst.stride_bytes = round_up(placed.dst.stride_bytes, DEVICE_ALIGNMENT);
    if (status == STATUS_OK)
        status = engine_plan_make(variant, &placed, plan, error);
    if (status == STATUS_OK)
        *job = engine_plan_job(plan, job);
    return status;
}

/* Allocates the planes and the scratch memory. */
static enum status place_all(struct gpu *gpu, struct run *run, struct error *error)
{
    enum status status =
        gpu_place(gpu, &gpu->src, &run->host[SOURCE], "the image", &run->device[SOURCE], error);
    struct job job;

    if (status == STATUS_OK)
        status = gpu_place(gpu, &gpu->dst, &run->host[RESULT], "the result", &run->device[RESULT],
                           error);
    if (status != STATUS_OK)
        return status;
    job = device_job(gpu, run);
    return gpu_grow(gpu, &gpu->scratch, (int64_t)scratch_bytes_of(run->variant, &job),
                    "the work between", error);
}

static enum status run_planned(struct gpu *gpu, struct run *run, struct gpu_times *times,
                               struct error *error)
{
    enum status status = gpu_bind(gpu, error);

    if (status == STATUS_OK && !run->job.engine)
        status = gpu_plan(gpu, run->variant, &run->job, &gpu->plan, error);
    if (status == STATUS_OK)
        status = place_all(gpu, run, error);
    return status == STATUS_OK ? copy_and_launch(gpu, run, times, error) : status;
}

enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                    struct gpu_note *note, struct error *error)
{
    struct buffer *const buffers[] = {&gpu->src, &gpu->dst, &gpu->scratch};
    const int64_t watched = gpu->watched > 0 ? gpu->watched : 0;
    struct run run = {
        .variant = variant,
        .job = *job,
        .host = {{whole_stack(&job->src, job->images, job->src_apart), reached(job)},
                 {whole_stack(&job->dst, job->images, job->dst_apart),
                  {watched, watched, watched, watched}}},
    };
    struct gpu_times times = {0};
    enum status status;

    gpu->lacked_memory = false; /* gpu_grow sets it */
    status = run_planned(gpu, &run, &times, error);
    gpu->last_variant = status == STATUS_OK ? variant : NULL;
    if (note)
        *note = (struct gpu_note){.engine = run.job.engine, .times = times};
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
