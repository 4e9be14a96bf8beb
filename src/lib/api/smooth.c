/* SPDX-License-Identifier: MIT */
/* Smooth. In the host's memory the variant reads images where they are, in bands of rows for
 * several threads. */
#include "src/lib/api/device.h"
#include "src/lib/api/side_by_side.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/run/run.h"

#define THREAD_BANDS 4 /* of a thread, so that one that is late leaves some to others */
#define BAND_HALOS 16  /* rows of a band, in halos, at least: the halo's own are filtered twice */

/* Sets the number of threads, and the height of a band: each thread has the same number of them. */
static void plan_bands(struct call *call)
{
    const int64_t height = call->dst.height, halo = call->request.filter->halo_y;
    int64_t share, bands;

    call->threads = call_threads(call);
    share = (height * call->src.count - 1) / call->threads + 1;
    bands = call->threads == 1 ? 1 : min(share / (BAND_HALOS * max(halo, 1)), THREAD_BANDS);
    call->band_rows = min((share - 1) / max(bands, 1) + 1, height);
    call->side_by_side = min(side_by_side_most(call), (call->src.count - 1) / call->threads + 1);
    if (call->side_by_side > 1)
        call->band_rows = height; /* they are computed whole */
    call->bands = (height - 1) / call->band_rows + 1;
}

/* Rows first..last-1 of image i. */
static struct job band_job(const struct call *call, int64_t i, int64_t first, int64_t last)
{
    struct job job = call_job(call, i, first, last);

    job.beside = call->src.beside;
    job.beside.above += first;
    job.beside.below += call->dst.height - last;
    return job;
}

/* The highest band, or most images side by side. */
static struct job largest_job(const struct call *call)
{
    return call->side_by_side > 1 ? side_by_side_job(call) : band_job(call, 0, 0, call->band_rows);
}

/* Sets what a thread's memory holds: images side by side and their results, and after them the
 * scratch of the largest job. */
static void measure(struct call *call, const struct job *job, const struct variant *variant)
{
    const int64_t copies = call->side_by_side > 1 ? side_by_side_bytes(call) : 0;

    call->memory_bytes = (size_t)copies + scratch_bytes_of(variant, job);
}

/* A band, as a work_piece. */
static enum status smooth_band(void *context, int thread, int64_t piece, struct error *error)
{
    const struct call *call = context;
    struct memory *memory = &call->context->memory[thread];
    const int64_t i = piece / call->bands, first = piece % call->bands * call->band_rows;
    const int64_t last = min(first + call->band_rows, call->dst.height);
    const struct job unplanned = band_job(call, i, first, last);
    struct job job = engine_plan_job(&call->plan, &unplanned);
    const enum status status = memory_need(memory, call->memory_bytes, error);

    if (status != STATUS_OK)
        return status;
    job.scratch = memory->data;
    return run_outcome(job.engine, run_stack(job.engine, &job), error);
}

static enum status run_pieces(struct call *call, struct error *error)
{
    const int64_t count = call->src.count;

    return call->side_by_side > 1
               ? work_queue_run_apart(call->threads, (count - 1) / call->side_by_side + 1,
                                      side_by_side_run, call, error)
               : work_queue_run_apart(call->threads, call->bands * count, smooth_band, call, error);
}

/* The bands of all images, by one plan, and the memory of a thread. */
static enum status plan_on_host(struct call *call, struct error *error)
{
    struct job job;
    enum status status;

    plan_bands(call);
    job = largest_job(call);
    status = engine_plan_make(call_variant(call, &job), &job, &call->plan, error);
    if (status != STATUS_OK)
        return status;
    job = engine_plan_job(&call->plan, &job);
    measure(call, &job, job.engine);
    return STATUS_OK;
}

static enum status smooth_on_host(struct call *call, struct error *error)
{
    const enum status status = plan_on_host(call, error);

    if (status != STATUS_OK)
        return status;
    call->context->chosen = call->plan.engine->name;
    return run_pieces(call, error);
}

/* STATUS_INVALID or STATUS_UNSUPPORTED if the filter does not fit the pixels. No variant weighs
 * floats by alpha: kernels/smooth/floats/floats.h says why. */
static enum status check_filter(const struct call *call, struct error *error)
{
    if (call->request.weighted && call->src.channels < 2)
        return fail(error, STATUS_INVALID,
                    "src: 1 channel; a filter that is weighted by alpha needs at least 2");
    if (call->request.weighted && call->src.type == SMOOTHIMG_F32)
        return fail(error, STATUS_UNSUPPORTED,
                    "src: floats are not weighted by alpha; use a filter without it, which smooths "
                    "each channel by itself");
    return STATUS_OK;
}

enum status smooth_images(struct call *call, struct error *error)
{
    const enum status status = check_filter(call, error);

    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? run_on_device(call, error)
                                              : smooth_on_host(call, error);
}

enum status measure_images(struct call *call, int64_t *bytes, struct error *error)
{
    enum status status = check_filter(call, error);

    *bytes = 0;
    if (status != STATUS_OK || call->src.memory == SMOOTHIMG_CUDA)
        return status;
    status = plan_on_host(call, error);
    if (status == STATUS_OK)
        *bytes = call->threads * (int64_t)call->memory_bytes;
    return status;
}

static enum status reserve_for_largest(struct call *call, struct error *error)
{
    struct smoothimg_context *context = call->context;
    const struct job job = largest_job(call);
    enum status status = STATUS_OK;

    measure(call, &job, call_variant(call, &job));
    for (int i = 0; i < context->threads && status == STATUS_OK; i++)
        status = memory_need(&context->memory[i], call->memory_bytes, error);
    return status;
}

/* call: of smooth, whose images have no data. */
static enum status reserve_on_host(struct call *call, struct error *error)
{
    enum status status;

    call->src.beside = (struct beside){0}; /* which needs most */
    plan_bands(call);
    call->side_by_side = 1;
    status = reserve_for_largest(call, error);
    if (status == STATUS_OK && side_by_side_largest(call))
        status = reserve_for_largest(call, error);
    return status;
}

enum status reserve_images(struct call *call, struct error *error)
{
    const enum status status = check_filter(call, error);

    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? reserve_on_device(call, error)
                                              : reserve_on_host(call, error);
}
