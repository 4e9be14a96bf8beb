/* SPDX-License-Identifier: MIT */
/* Computes a piece, on the processor or on a GPU. */
#include "src/app/dispatch/arrays.h"
#include "src/app/dispatch/dispatcher.h"

#include "kernels/common/engine.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"

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

/* Runs the job at once or, if the device lacks the memory for that, by halves. */
static enum status run_on(struct gpu *gpu, const struct variant *variant, const struct job *job,
                          struct gpu_note *note, struct error *error)
{
    const int64_t rows = job->src.height, half = rows / 2;
    enum status status = gpu_run(gpu, variant, job, note, error);

    if (status != STATUS_DEVICE || rows == 1 || variant->op == OP_TRANSPOSE ||
        !gpu_lacked_memory(gpu))
        return status;
    for (int i = 0; i < 2; i++) {
        const struct job part = part_of(job, variant->op, i * half, i == 0 ? half : rows - half);
        struct gpu_note of_part;

        status = run_on(gpu, variant, &part, &of_part, error);
        if (status != STATUS_OK)
            return status;
        note->engine = of_part.engine;
        gpu_times_add(&note->times, of_part.times);
    }
    return STATUS_OK;
}

enum status dispatcher_plan(const struct dispatcher *dispatcher, struct session *session,
                            struct piece *piece, struct engine_plan *plan, struct error *error)
{
    const struct variant *variant = dispatcher_variant(dispatcher, piece->index);
    struct error unused;
    enum status status;

    piece->variant = piece->reference ? registry_reference(variant->op) : variant;
    if (combine_by_arrays(piece->combine, 0))
        return STATUS_OK;
    if (session) { /* what cannot be planned is planned when it runs, and fails then */
        gpu_plan(session->gpu, piece->variant, &piece->job, plan, &unused);
        return STATUS_OK;
    }
    status = engine_plan_make(piece->variant, &piece->job, plan, error);
    if (status == STATUS_OK)
        piece->job = engine_plan_job(plan, &piece->job);
    return status;
}

enum status dispatcher_run(const struct dispatcher *dispatcher, struct session *session,
                           struct piece *piece, struct error *error)
{
    const struct variant *variant = piece->variant;
    enum status status;

    piece->done = (struct gpu_note){.engine = variant};
    if (combine_by_arrays(piece->combine, 0))
        return arrays_run(dispatcher_arrays(dispatcher, piece->index), piece->combine,
                          piece->kept_channels, variant->reference, &piece->job, error);
    status = session ? run_on(session->gpu, variant, &piece->job, &piece->done, error)
                     : run_noting(variant, &piece->job, &piece->done.engine, error);
    if (status == STATUS_OK)
        combine_job(piece->combine, piece->kept_channels, NULL, &piece->job);
    return status;
}
