/* SPDX-License-Identifier: MIT */
#include "contestant.h"

#include "compare.h"
#include "parallel.h"

#include <stdio.h>
#include <string.h>

#define COPY_PIECE ((int64_t)1 << 16) /* bytes that a thread takes at once */

static enum status equip(const struct contestant *contestant, struct job *job, struct error *error)
{
    *job = contestant->stage->job;
    job->scratch = contestant->scratch;
    if (contestant->scratch_missing)
        return fail(error, STATUS_INPUT, "no memory to work in");
    return STATUS_OK;
}

/* The CPU's variants. */

static enum status run_on_cpu(struct subject *subject, int64_t runs, double *seconds,
                              struct error *error)
{
    const struct contestant *contestant = subject->context;
    const char *failure = NULL;
    struct job job;
    const enum status status = equip(contestant, &job, error);
    const double start = clock_seconds();

    if (status != STATUS_OK)
        return status;
    for (int64_t i = 0; i < runs && !failure; i++)
        failure = contestant->variant->run(&job);
    *seconds = clock_seconds() - start;
    return failure ? fail(error, STATUS_DEVICE, "%s", failure) : STATUS_OK;
}

/* The GPU's: the image is on the device, where validation has just brought it for this variant. */

static enum status run_on_gpu(struct subject *subject, int64_t runs, double *seconds,
                              struct error *error)
{
    const struct contestant *contestant = subject->context;

    return gpu_rerun(contestant->stage->gpu, runs, seconds, error);
}

static enum status run_once(struct subject *subject, struct error *error)
{
    const struct contestant *contestant = subject->context;
    const struct stage *stage = contestant->stage;
    double seconds;

    if (contestant->variant->place == ON_GPU)
        return gpu_run(stage->gpu, contestant->variant, &stage->job, error);
    return run_on_cpu(subject, 1, &seconds, error);
}

static void judge(const struct stage *stage, bool peer, struct row *row)
{
    const struct difference difference = compare_views(&stage->wanted.view, &stage->got.view);
    char why[256];

    row->differing = difference.samples;
    if (difference.samples == 0 || peer)
        return;
    snprintf(why, sizeof why,
             "%lld samples differ from the right ones; the first is x %lld, y %lld, channel %d: "
             "wanted %u, got %u",
             (long long)difference.samples, (long long)difference.x, (long long)difference.y,
             (int)difference.channel, (unsigned)difference.wanted, (unsigned)difference.got);
    row_reject(row, ROW_DIFFERENT, STATUS_DIFFERENT, why);
}

static void validate(struct subject *subject)
{
    const struct contestant *contestant = subject->context;
    const struct variant *variant = contestant->variant;
    struct stage *stage = contestant->stage;
    const char *refusal = variant->refuses ? variant->refuses(&stage->job) : NULL;
    struct error error;

    if (refusal) {
        row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK, refusal);
        return;
    }
    stage_poison(stage);
    if (run_once(subject, &error) == STATUS_OK)
        judge(stage, contestant->peer, subject->row);
    else if (contestant->peer) /* what another library cannot do is no fault of this project */
        row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK, error.text);
    else
        row_reject(subject->row, ROW_FAILED, error.status, error.text);
}

/* Plain copies. */

struct copying {
    char *to;
    const char *from;
    int64_t bytes;
};

static void copy_pieces(const void *context, int band, int64_t first, int64_t last)
{
    const struct copying *copying = context;
    const int64_t start = first * COPY_PIECE, end = last * COPY_PIECE;

    (void)band;
    memcpy(copying->to + start, copying->from + start,
           (size_t)((end < copying->bytes ? end : copying->bytes) - start));
}

/* As many bytes as the image has, from where it is to where the result goes. */
static enum status copy_on_cpu(struct subject *subject, int64_t runs, double *seconds,
                               struct error *error)
{
    const struct contestant *contestant = subject->context;
    const struct stage *stage = contestant->stage;
    const struct copying copying = {stage->got.memory, stage->picture->memory,
                                    subject->row->bytes / 2};
    const double start = clock_seconds();

    (void)error;
    for (int64_t i = 0; i < runs; i++)
        parallel_rows(stage->job.threads, (copying.bytes + COPY_PIECE - 1) / COPY_PIECE,
                      copy_pieces, &copying);
    *seconds = clock_seconds() - start;
    return STATUS_OK;
}

static enum status copy_on_gpu(struct subject *subject, int64_t runs, double *seconds,
                               struct error *error)
{
    const struct contestant *contestant = subject->context;

    return gpu_time_copy(contestant->stage->gpu, subject->row->bytes / 2, runs, seconds, error);
}

static void accept(struct subject *subject)
{
    (void)subject;
}

void contestant_enter(struct subject *subject)
{
    const struct contestant *contestant = subject->context;
    const bool on_gpu = subject->row->place == ON_GPU;

    if (contestant->variant) {
        subject->validate = validate;
        subject->run = on_gpu ? run_on_gpu : run_on_cpu;
    } else {
        subject->validate = accept;
        subject->run = on_gpu ? copy_on_gpu : copy_on_cpu;
    }
}
