/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/subject.h"

#include "kernels/common/engine.h"
#include "src/bench/variants/stack.h"
#include "src/lib/image/compare.h"

#include <stdio.h>

/* A variant and its job. */
struct call {
    const struct variant *variant;
    struct job job;
};

static const char *run_job_once(void *context)
{
    const struct call *call = context;

    return run_stack(call->variant, &call->job);
}

static enum status run_on_cpu(const struct variant_subject *own, int64_t runs, double *seconds,
                              struct error *error)
{
    struct call call = {own->variant, own->stage->job};

    call.job.scratch = own->scratch;
    return own->scratch_missing ? fail(error, STATUS_INPUT, "no memory to work in")
                                : time_calls(run_job_once, &call, runs, seconds, error);
}

enum status variant_subject_run(struct subject *subject, int64_t runs, double *seconds,
                                struct error *error)
{
    const struct variant_subject *own = subject->context;

    return own->variant->backend == ON_GPU ? gpu_rerun(own->stage->gpu, runs, seconds, error)
                                           : run_on_cpu(own, runs, seconds, error);
}

static enum status run_once(const struct variant_subject *own, struct error *error)
{
    double seconds;

    return own->variant->backend == ON_GPU
               ? gpu_run(own->stage->gpu, own->variant, &own->stage->job, error)
               : run_on_cpu(own, 1, &seconds, error);
}

/* The first difference of the images, and the number of all. */
static struct difference compare_stacks(const struct stage *stage)
{
    const struct job *job = &stage->job;
    struct view wanted = stage->wanted.view, got = stage->got.view;
    struct difference all;

    wanted.height = got.height = job->dst.height;
    all = compare_views(&wanted, &got);
    for (int64_t i = 1; i < job->images; i++) {
        const struct view next = stack_image(wanted, i, job->dst_apart);
        const struct view its = stack_image(got, i, job->dst_apart);
        const struct difference other = compare_views(&next, &its);
        const int64_t samples = all.samples + other.samples;

        all = all.samples > 0 ? all : other;
        all.samples = samples;
    }
    return all;
}

static void judge(const struct stage *stage, struct row *row)
{
    const struct difference difference = compare_stacks(stage);
    const int32_t bytes = stage->wanted.view.sample_bytes;
    char why[256];

    row->differing = difference.samples;
    if (difference.samples == 0 || row->baseline)
        return;
    snprintf(why, sizeof why,
             "%lld samples differ from the right ones; the first is x %lld, y %lld, channel %d: "
             "wanted %s, got %s",
             (long long)difference.samples, (long long)difference.x, (long long)difference.y,
             (int)difference.channel, sample_text(difference.wanted, bytes).text,
             sample_text(difference.got, bytes).text);
    row_reject(row, ROW_DIFFERENT, STATUS_DIFFERENT, why);
}

void variant_subject_validate(struct subject *subject)
{
    const struct variant_subject *own = subject->context;
    const struct variant *variant = own->variant;
    struct stage *stage = own->stage;
    const char *refusal = variant->refuses ? variant->refuses(&stage->job) : NULL;
    struct error error;

    if (refusal) {
        row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK, refusal);
        return;
    }
    stage_poison(stage);
    if (run_once(own, &error) == STATUS_OK)
        judge(stage, subject->row);
    else if (subject->row->baseline) /* a library's limit is no failure of this program */
        row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK, error.text);
    else
        row_reject(subject->row, ROW_FAILED, error.status, error.text);
}
