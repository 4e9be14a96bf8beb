/* SPDX-License-Identifier: MIT */
/* Computes a piece: all its operations together on a GPU, or one after the other. */
#include "src/app/dispatch/dispatcher_state.h"
#include "src/lib/base/clock.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "src/lib/gpu/merge.h"
#include "src/lib/image/halo.h"

#include <string.h>

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

static enum status run_on_gpu(struct dispatcher *dispatcher, struct executor *executor,
                              struct step *step, struct error *error)
{
    enum status status;

    do {
        status = run_on(executor->session->gpu, step, error);
    } while (status != STATUS_OK && executor_move_on(dispatcher, executor, status));
    return status;
}

/* Computes operation i alone. */
static enum status run_step(struct dispatcher *dispatcher, struct executor *executor, int i,
                            struct step *step, struct error *error)
{
    step->times = (struct gpu_times){0};
    step->variant = dispatcher->variants[i];
    return step->variant->backend == ON_GPU
               ? run_on_gpu(dispatcher, executor, step, error)
               : run_noting(step->variant, &step->job, &step->engine, error);
}

/* The result of operation i in the host's memory, with room for the border that the next needs: the
 * chain's own, or for operations between *image, which the caller frees. */
static enum status make_result(struct chain *chain, int i, struct image *image, struct error *error)
{
    struct step *step = &chain->steps[i], *next = step + 1;
    const struct view *dst = &step->job.dst;
    const struct shape shape = {dst->width, dst->height, dst->channels, step->job.maxval};
    enum status status;

    if (i == chain->count - 1)
        return STATUS_OK;
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

/* One operation after the other, each wherever it can be computed. */
static enum status run_apart(struct dispatcher *dispatcher, struct executor *executor,
                             struct chain *chain, struct error *error)
{
    struct image source = {0}, result = {0};
    enum status status = STATUS_OK;

    for (int i = 0; i < chain->count && status == STATUS_OK; i++) {
        const double start = clock_seconds();

        status = make_result(chain, i, &result, error);
        if (status == STATUS_OK)
            status = run_step(dispatcher, executor, i, &chain->steps[i], error);
        if (status == STATUS_OK)
            combine_job(combine_at(chain->combines, i), chain->kept_channels, &chain->steps[i].job);
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

/* Gives smooths that are alike to the variant that computes them at once, if that is faster. */
static void choose_layers(struct chain *chain)
{
    for (int first = 0, count; first < chain->count; first += count) {
        struct step *steps = &chain->steps[first];

        count = merge_alike(steps, chain->count - first);
        const struct step merged = merge_steps(steps, count);
        const struct variant *variant = registry_layers_for(ON_GPU, &merged.job);

        for (int i = 0; i < count && variant; i++)
            steps[i].variant = variant;
    }
}

/* Does an operation need its source on the processor, after the smooth? */
static bool combines(const struct chain *chain)
{
    bool any = false;

    for (int i = 0; i < chain->count; i++)
        any = any || combine_at(chain->combines, i);
    return any;
}

/* Sets the variant of each operation. False: not all are a GPU's. */
static bool set_gpu_variants(const struct dispatcher *dispatcher, struct chain *chain)
{
    bool all = true;

    for (int i = 0; i < chain->count; i++) {
        chain->steps[i].variant = dispatcher->variants[i];
        all = all && dispatcher->variants[i]->backend == ON_GPU;
    }
    if (all && strcmp(dispatcher->options->variant, "gpu") == 0)
        choose_layers(chain);
    return all;
}

/* All operations on the session's GPU, with one upload and one download. */
static enum status run_together(const struct executor *executor, struct chain *chain,
                                struct error *error)
{
    const enum status status =
        gpu_run_steps(executor->session->gpu, chain->steps, chain->count, error);

    for (int i = 0; i < chain->count && status == STATUS_OK; i++)
        chain->seconds[i] = gpu_seconds(&chain->steps[i].times);
    return status;
}

enum status dispatcher_run(struct dispatcher *dispatcher, struct executor *executor,
                           struct chain *chain, struct error *error)
{
    enum status status = STATUS_DEVICE;

    if (chain->count > 1 && executor->session && !combines(chain) &&
        set_gpu_variants(dispatcher, chain))
        status = run_together(executor, chain, error);
    return status == STATUS_DEVICE ? run_apart(dispatcher, executor, chain, error) : status;
}
