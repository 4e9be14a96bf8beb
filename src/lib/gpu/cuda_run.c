/* SPDX-License-Identifier: MIT */
/* Runs variants on the device, one after the other, and times them with CUDA events. */
#include "kernels/border/fill.h"
#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/gpu/cuda.h"

#include <string.h>

/* What gpu_run_steps works on. Plane i is the source of step i and the result of the step before.
 */
struct sequence {
    struct step steps[GPU_MAX_STEPS]; /* the caller's, and their plans for this run */
    int count;
    struct plane host[2];                   /* the first plane and the last */
    struct plane planes[GPU_MAX_STEPS + 1]; /* on the device: in gpu->src and gpu->dst in turn */
};

enum status gpu_mark(struct gpu *gpu, int event, struct error *error)
{
    return gpu_check(cudaEventRecord(gpu->events[event], gpu->stream), "recording an event", error);
}

/* The event that step i begins with, which ends the step before. */
static int event_of(const struct sequence *sequence, int i)
{
    return i == 0 ? KERNEL_BEGINS : i == sequence->count ? KERNEL_ENDS : STEPS_BEGIN + i - 1;
}

static enum status make_events(struct gpu *gpu, int steps, struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = STEPS_BEGIN; i < STEPS_BEGIN + steps - 1 && status == STATUS_OK; i++)
        if (!gpu->events[i])
            status = gpu_check(cudaEventCreate(&gpu->events[i]), "making an event", error);
    return status;
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

/* The job of step i on the device, without scratch. */
static struct job device_job(const struct gpu *gpu, const struct sequence *sequence, int i)
{
    const struct step *step = &sequence->steps[i];
    struct job job = step->job;

    job.stream = gpu->stream;
    if (job.images > 1) {
        job.src = first_of_stack(&sequence->planes[0], &step->job.src, &job.src_apart);
        job.dst = first_of_stack(&sequence->planes[1], &step->job.dst, &job.dst_apart);
        return job;
    }
    job.src = i == 0 ? sequence->planes[0].view : step_source(step, &sequence->planes[i].view);
    job.dst = sequence->planes[i + 1].view;
    return job;
}

/* Launches step i. The first one's border came with the image. */
static enum status launch_step(struct gpu *gpu, const struct sequence *sequence, int i,
                               struct error *error)
{
    const struct variant *variant = sequence->steps[i].variant;
    struct job job = device_job(gpu, sequence, i);
    const char *failure =
        i == 0 ? NULL
               : border_fill(&sequence->planes[i].view, &sequence->steps[i].border, gpu->stream);
    enum status status;

    if (failure)
        return fail(error, STATUS_DEVICE, "the GPU failed: filling a border: %s", failure);
    job.scratch = gpu->scratch.memory;
    status = gpu_launch_variant(variant, &job, error);
    gpu->last = job;
    return status == STATUS_OK ? gpu_mark(gpu, event_of(sequence, i + 1), error) : status;
}

static double seconds_between(struct gpu *gpu, int from, int to)
{
    float milliseconds = 0;

    cudaEventElapsedTime(&milliseconds, gpu->events[from], gpu->events[to]);
    return 1e-3 * (double)milliseconds;
}

/* Waits for the stream, and sets the times of the steps. */
static enum status take_times(struct gpu *gpu, struct sequence *sequence, struct error *error)
{
    const int last = sequence->count - 1;
    const enum status status =
        gpu_check(cudaStreamSynchronize(gpu->stream), "waiting for the kernel and copies", error);

    for (int i = 0; i <= last && status == STATUS_OK; i++) {
        const struct plane result = {sequence->planes[i + 1].view, 0};

        sequence->steps[i].times = (struct gpu_times){
            .kernel = seconds_between(gpu, event_of(sequence, i), event_of(sequence, i + 1)),
            .kernel_bytes = 2 * plane_bytes(&result)};
    }
    if (status == STATUS_OK) {
        sequence->steps[0].times.upload = seconds_between(gpu, UPLOAD_BEGINS, KERNEL_BEGINS);
        sequence->steps[0].times.upload_bytes = plane_bytes(&sequence->host[0]);
        sequence->steps[last].times.download = seconds_between(gpu, KERNEL_ENDS, DOWNLOAD_ENDS);
        sequence->steps[last].times.download_bytes = plane_bytes(&sequence->host[1]);
    }
    return status;
}

/* Uploads, launches and downloads, with an event between each two steps, and waits. */
static enum status copy_and_launch(struct gpu *gpu, struct sequence *sequence, struct error *error)
{
    const int threads = sequence->steps[0].job.threads;
    const struct plane *host = sequence->host;
    const struct plane *first = &sequence->planes[0], *last = &sequence->planes[sequence->count];
    enum status status = gpu_mark(gpu, UPLOAD_BEGINS, error);

    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[0], first, true, threads, error);
    if (status == STATUS_OK && gpu->watched >= 0)
        status = gpu_copy(gpu, &host[1], last, true, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, KERNEL_BEGINS, error);
    for (int i = 0; i < sequence->count && status == STATUS_OK; i++)
        status = launch_step(gpu, sequence, i, error);
    if (status == STATUS_OK)
        status = gpu_copy(gpu, &host[1], last, false, threads, error);
    if (status == STATUS_OK)
        status = gpu_mark(gpu, DOWNLOAD_ENDS, error);
    if (status == STATUS_OK)
        return take_times(gpu, sequence, error);
    /* Copies begun before the failure use the host's memory, which the caller reuses. */
    cudaStreamSynchronize(gpu->stream);
    cudaGetLastError(); /* *error already has the first failure */
    return status;
}

/* Lays out plane i. Only the first begins where its variant prefers: variants prefer even more that
 * their results begin at a multiple of DEVICE_ALIGNMENT. */
static enum status place_plane(struct gpu *gpu, struct sequence *sequence, int i,
                               struct error *error)
{
    const struct step *step = &sequence->steps[i];
    const struct plane plane = i == 0 ? sequence->host[0]
                               : i == sequence->count
                                   ? sequence->host[1]
                                   : (struct plane){step[-1].job.dst, step->job.halo};
    const int64_t phase = i == 0 ? src_phase_of(step->variant, &step->job) : 0;

    return gpu_place(gpu, i % 2 == 0 ? &gpu->src : &gpu->dst, &plane, phase,
                     i == 0 ? "the image" : "the result", &sequence->planes[i], error);
}

/* The job as place_plane will lay it out: the first where its engine prefers, and so nowhere yet.
 */
static struct job job_to_plan(const struct step *step, int i)
{
    struct job job = step->job;

    job.src.origin = job.dst.origin = i == 0 ? NULL : (void *)DEVICE_ALIGNMENT;
    job.src.stride_bytes = round_up(job.src.stride_bytes, DEVICE_ALIGNMENT);
    job.dst.stride_bytes = round_up(job.dst.stride_bytes, DEVICE_ALIGNMENT);
    return job;
}

/* Plans the steps that are not planned yet. gpu_rerun uses the plans of a run again. */
static enum status plan_all(struct step *steps, int count, struct engine_plan *plans,
                            struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < count && status == STATUS_OK; i++) {
        struct step *step = &steps[i];
        const struct job job = job_to_plan(step, i);

        if (step->job.engine)
            continue;
        status = engine_plan_make(step->variant, &job, &plans[i], error);
        if (status == STATUS_OK)
            step->job = engine_plan_job(&plans[i], &step->job);
    }
    return status;
}

/* Allocates the planes, and the scratch memory that the steps share. */
static enum status place_all(struct gpu *gpu, struct sequence *sequence, struct error *error)
{
    enum status status = STATUS_OK;

    /* The second round finds the buffers as large as their largest plane needs. */
    for (int round = 0; round < 2; round++)
        for (int i = 0; i <= sequence->count && status == STATUS_OK; i++)
            status = place_plane(gpu, sequence, i, error);
    for (int i = 0; i < sequence->count && status == STATUS_OK; i++) {
        const struct job job = device_job(gpu, sequence, i);

        status = gpu_grow(gpu, &gpu->scratch,
                          (int64_t)scratch_bytes_of(sequence->steps[i].variant, &job),
                          "the work between", error);
    }
    return status;
}

static enum status run(struct gpu *gpu, struct sequence *sequence, struct error *error)
{
    enum status status = gpu_bind(gpu, error); /* engines are chosen by what the device is */

    gpu->last_variant = NULL;
    if (status == STATUS_OK)
        status = make_events(gpu, sequence->count, error);
    if (status == STATUS_OK)
        status = plan_all(sequence->steps, sequence->count, gpu->plans, error);
    if (status == STATUS_OK)
        status = place_all(gpu, sequence, error);
    if (status == STATUS_OK)
        status = copy_and_launch(gpu, sequence, error);
    if (status == STATUS_OK)
        gpu->last_variant = sequence->steps[sequence->count - 1].variant;
    return status;
}

enum status gpu_run_steps(struct gpu *gpu, struct step *steps, int count, struct error *error)
{
    const struct job *first = &steps[0].job, *last = &steps[count - 1].job;
    struct buffer *const buffers[] = {&gpu->src, &gpu->dst, &gpu->scratch};
    struct sequence sequence = {
        .count = count,
        .host = {{whole_stack(&first->src, first->images, first->src_apart), first->halo},
                 {whole_stack(&last->dst, last->images, last->dst_apart),
                  gpu->watched > 0 ? gpu->watched : 0}},
    };
    enum status status;

    memcpy(sequence.steps, steps, (size_t)count * sizeof *steps);
    gpu->lacked_memory = false; /* gpu_grow sets it */
    status = run(gpu, &sequence, error);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        steps[i].times = sequence.steps[i].times;
        steps[i].engine = sequence.steps[i].job.engine;
    }
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && gpu->lacked_memory; i++) {
        cudaFree(buffers[i]->memory);
        *buffers[i] = (struct buffer){0};
    }
    return status;
}

enum status gpu_plan_steps(struct gpu *gpu, struct step *steps, int count,
                           struct engine_plan *plans, struct error *error)
{
    const enum status status = gpu_bind(gpu, error);

    return status == STATUS_OK ? plan_all(steps, count, plans, error) : status;
}

enum status gpu_run(struct gpu *gpu, const struct variant *variant, const struct job *job,
                    struct error *error)
{
    struct step step = {.variant = variant, .job = *job};

    return gpu_run_steps(gpu, &step, 1, error);
}

bool gpu_lacked_memory(const struct gpu *gpu)
{
    return gpu->lacked_memory;
}
