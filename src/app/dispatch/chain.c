/* SPDX-License-Identifier: MIT */
/* Computes a piece: all its operations together on a GPU, or one after the other. */
#include "src/app/dispatch/arrays.h"
#include "src/app/dispatch/dispatcher.h"

#include "kernels/common/engine.h"
#include "src/lib/base/clock.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "src/lib/image/halo.h"

_Static_assert(MAX_OPS <= GPU_MAX_STEPS, "a chain fits on a GPU");

/* Rows first..first+count-1 of the job's source alone: those above and below are their border. */
static struct job part_of(const struct job *job, enum op op, int64_t first, int64_t count)
{
    const int64_t to = op == OP_REVERSE ? job->src.height - first - count : first;
    struct job part = *job;

    part.src.origin = (char *)job->src.origin + first * job->src.stride_bytes;
    part.dst.origin = (char *)job->dst.origin + to * job->dst.stride_bytes;
    part.src.height = part.dst.height = count;
    return part;
}

/* Runs the step at once or, if the device lacks the memory for that, by halves. */
static enum status run_on(struct gpu *gpu, struct step *step, struct error *error)
{
    const struct variant *variant = step->variant;
    const int64_t rows = step->job.src.height, half = rows / 2;
    enum status status = gpu_run_steps(gpu, step, 1, error);

    if (status != STATUS_DEVICE || rows == 1 || variant->op == OP_TRANSPOSE ||
        !gpu_lacked_memory(gpu))
        return status;
    step->times = (struct gpu_times){0};
    for (int i = 0; i < 2; i++) {
        struct step part = {.variant = variant};

        part.job = part_of(&step->job, variant->op, i * half, i == 0 ? half : rows - half);
        status = run_on(gpu, &part, error);
        if (status != STATUS_OK)
            return status;
        step->engine = part.engine;
        gpu_times_add(&step->times, part.times);
    }
    return STATUS_OK;
}

/* The result of operation i in the host's memory, with room for the border that the next needs: the
 * chain's own, or for operations between *image, which the caller frees. */
static enum status make_result(struct chain *chain, int i, struct image *image, struct error *error)
{
    struct step *step = &chain->steps[i], *next = step + 1;
    const struct view *dst = &step->job.dst;
    struct shape shape = {dst->width, dst->height, dst->channels, 0};
    enum status status;

    if (i == chain->count - 1)
        return STATUS_OK;
    shape.maxval = next->job.maxval;
    status = image_alloc(image, &shape, next->job.halo, error);
    step->job.dst = image->view;
    next->job.src = step_source(next, &image->view);
    return status;
}

/* Fills the border of operation i's source, which the one before has computed. */
static void fill_border(struct chain *chain, int i, const struct image *image)
{
    const double start = clock_seconds();

    halo_fill_border(image, &chain->steps[i].border);
    chain->halo_seconds[i] = chain->steps[i].job.halo > 0 ? clock_seconds() - start : 0;
}

/* Operation i. */
static enum status run_one(const struct dispatcher *dispatcher, struct session *session,
                           struct chain *chain, int i, struct error *error)
{
    struct step *step = &chain->steps[i];
    const struct combine *combine = combine_at(chain->combines, i);
    enum status status;

    if (combine_by_arrays(chain->combines, i)) {
        step->engine = step->variant;
        return arrays_run(dispatcher_arrays(dispatcher, i), combine, chain->kept_channels,
                          step->variant->reference, &step->job, error);
    }
    step->times = (struct gpu_times){0};
    status = session ? run_on(session->gpu, step, error)
                     : run_noting(step->variant, &step->job, &step->engine, error);
    if (status == STATUS_OK)
        combine_job(combine, chain->kept_channels, NULL, &step->job);
    return status;
}

/* One operation after the other. */
static enum status run_apart(const struct dispatcher *dispatcher, struct session *session,
                             struct chain *chain, struct error *error)
{
    struct image source = {0}, result = {0};
    enum status status = STATUS_OK;

    for (int i = 0; i < chain->count && status == STATUS_OK; i++) {
        const double start = clock_seconds();

        status = make_result(chain, i, &result, error);
        if (status == STATUS_OK)
            status = run_one(dispatcher, session, chain, i, error);
        chain->seconds[i] = clock_seconds() - start;
        image_free(&source);
        if (i == 0 && chain->source)
            image_free(chain->source);
        source = result;
        result = (struct image){0};
        if (i + 1 < chain->count && status == STATUS_OK)
            fill_border(chain, i + 1, &source);
    }
    image_free(&source);
    return status;
}

/* May one upload and one download serve all operations on a GPU? Not if one needs its source on the
 * processor, after the smooth. */
static bool goes_together(const struct chain *chain)
{
    bool together = chain->count > 1;

    for (int i = 0; i < chain->count; i++)
        together = together && !combine_at(chain->combines, i);
    return together;
}

static void set_variants(const struct dispatcher *dispatcher, struct chain *chain)
{
    for (int i = 0; i < chain->count; i++) {
        const struct variant *variant = dispatcher_variant(dispatcher, i);

        chain->steps[i].variant = chain->references ? registry_reference(variant->op) : variant;
        chain->steps[i].job = unplanned(&chain->steps[i].job);
    }
}

/* What cannot be planned is planned when it runs, and fails then. */
static void plan_on_gpu(struct gpu *gpu, struct chain *chain, struct engine_plan *plans)
{
    const int each = goes_together(chain) ? chain->count : 1;
    struct error unused;

    for (int i = 0; i < chain->count; i += each)
        gpu_plan_steps(gpu, &chain->steps[i], each, &plans[i], &unused);
}

enum status dispatcher_plan(const struct dispatcher *dispatcher, struct session *session,
                            struct chain *chain, struct engine_plan *plans, struct error *error)
{
    enum status status = STATUS_OK;

    set_variants(dispatcher, chain);
    if (session)
        plan_on_gpu(session->gpu, chain, plans);
    for (int i = 0; i < chain->count && !session && status == STATUS_OK; i++) {
        struct step *step = &chain->steps[i];

        if (combine_by_arrays(chain->combines, i))
            continue;
        status = engine_plan_make(step->variant, &step->job, &plans[i], error);
        if (status == STATUS_OK)
            step->job = engine_plan_job(&plans[i], &step->job);
    }
    return status;
}

enum status dispatcher_run(struct dispatcher *dispatcher, struct session *session,
                           struct chain *chain, struct error *error)
{
    enum status status;

    for (int i = 0; i < chain->count; i++)
        chain->halo_seconds[i] = 0;
    if (!session || !goes_together(chain))
        return run_apart(dispatcher, session, chain, error);
    status = gpu_run_steps(session->gpu, chain->steps, chain->count, error);
    for (int i = 0; i < chain->count && status == STATUS_OK; i++)
        chain->seconds[i] = gpu_seconds(&chain->steps[i].times);
    if (status != STATUS_DEVICE)
        return status;
    set_variants(dispatcher, chain);
    return run_apart(dispatcher, session, chain, error);
}
