/* SPDX-License-Identifier: MIT */
#include "contest.h"

#include "compare.h"
#include "entries.h"
#include "parallel.h"
#include "registry.h"

#include <stdlib.h>
#include <string.h>

/* A GPU's copy is of this much at least, so that it measures the memory and not the cache. */
#define GPU_COPY_BYTES ((int64_t)512 << 20)
#define COPY_PIECE ((int64_t)1 << 16) /* bytes that a thread takes at once */

/* A subject's context. */
struct contestant {
    struct stage *stage;
    const struct variant *variant; /* NULL: the plain copy */
    bool peer;
    void *scratch; /* of a CPU's variant; owned */
    bool scratch_missing;
};

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

/* The GPU's: the image is on the device, where validation has brought it. */

static enum status run_on_gpu(struct subject *subject, int64_t runs, double *seconds,
                              struct error *error)
{
    const struct contestant *contestant = subject->context;
    const struct stage *stage = contestant->stage;

    return gpu_rerun(stage->gpu, contestant->variant, &stage->job, runs, seconds, error);
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

static void reject(struct row *row, enum outcome outcome, enum status status, const char *why)
{
    row->outcome = outcome;
    row->status = status;
    snprintf(row->why, sizeof row->why, "%.500s", why);
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
    reject(row, ROW_DIFFERENT, STATUS_DIFFERENT, why);
}

static void validate(struct subject *subject)
{
    const struct contestant *contestant = subject->context;
    const struct variant *variant = contestant->variant;
    struct stage *stage = contestant->stage;
    const char *refusal = variant->refuses ? variant->refuses(&stage->job) : NULL;
    struct error error;

    if (refusal) {
        reject(subject->row, ROW_LEFT_OUT, STATUS_OK, refusal);
        return;
    }
    stage_poison(stage);
    if (run_once(subject, &error) == STATUS_OK)
        judge(stage, contestant->peer, subject->row);
    else if (contestant->peer) /* what another library cannot do is no fault of this project */
        reject(subject->row, ROW_LEFT_OUT, STATUS_OK, error.text);
    else
        reject(subject->row, ROW_FAILED, error.status, error.text);
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

/* A place's part of a group. */

struct contest {
    struct subject subjects[MAX_ROWS];
    struct contestant contestants[MAX_ROWS];
    int count;
};

static struct row *add(struct contest *contest, struct stage *stage, struct group *group,
                       const char *name, enum place place)
{
    struct contestant *contestant = &contest->contestants[contest->count];
    struct subject *subject = &contest->subjects[contest->count++];
    struct row *row = &group->rows[group->row_count++];

    *contestant = (struct contestant){.stage = stage};
    *subject = (struct subject){.row = row, .context = contestant};
    *row = (struct row){
        .name = name,
        .place = place,
        .pixels = group->shape.width * group->shape.height,
        .bytes = 2 * group_samples(group) * sample_bytes_of(group->shape.maxval),
    };
    return row;
}

static void add_copy(struct contest *contest, struct stage *stage, struct group *group,
                     enum place place)
{
    struct row *row = add(contest, stage, group, COPY_NAME, place);
    struct subject *subject = &contest->subjects[contest->count - 1];

    row->roof = true;
    subject->validate = accept;
    subject->run = place == ON_GPU ? copy_on_gpu : copy_on_cpu;
    if (place == ON_GPU && !gpu_is_emulated() && row->bytes < 2 * GPU_COPY_BYTES)
        row->bytes = 2 * GPU_COPY_BYTES;
    row->pixels = row->bytes / 2 / group->shape.channels / sample_bytes_of(group->shape.maxval);
}

static void add_entry(struct contest *contest, struct stage *stage, struct group *group,
                      const struct entry *entry)
{
    const struct variant *variant = entry->variant;
    const size_t bytes =
        variant->scratch_bytes && entry->place == ON_CPU ? variant->scratch_bytes(&stage->job) : 0;
    struct contestant *contestant = &contest->contestants[contest->count];
    struct subject *subject = &contest->subjects[contest->count];
    struct row *row = add(contest, stage, group, entry->name, entry->place);

    row->peer = contestant->peer = entry->peer;
    contestant->variant = variant;
    subject->validate = validate;
    subject->run = entry->place == ON_GPU ? run_on_gpu : run_on_cpu;
    if (bytes > 0)
        contestant->scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    contestant->scratch_missing = bytes > 0 && !contestant->scratch;
}

static bool is_too_long(const struct bench_options *options, const struct stage *stage,
                        const struct entry *entry)
{
    return entry->variant->reference && stage_is_long(stage) &&
           !entry_is_named(options, entry->name);
}

static void fill_contest(const struct bench_options *options, enum place place, struct stage *stage,
                         struct group *group, struct contest *contest)
{
    struct entry entry;

    for (int i = 0; entry_at(i, &entry) && group->row_count < MAX_ROWS; i++) {
        if (entry.op != stage->op || entry.place != place || !entry_is_wanted(options, &entry))
            continue;
        add_entry(contest, stage, group, &entry);
        if (is_too_long(options, stage, &entry))
            reject(contest->subjects[contest->count - 1].row, ROW_LEFT_OUT, STATUS_OK,
                   "it would take long; --variant reference insists");
    }
}

/* The GPU's copy uses the memory that images are brought to: it comes first, and alone. */
static enum status hold_at(const struct bench_options *options, enum place place,
                           struct stage *stage, struct group *group, struct error *error)
{
    struct contest *contest = calloc(1, sizeof *contest);
    enum status status = STATUS_OK;
    int first = 0;

    if (!contest)
        return fail(error, STATUS_INPUT, "no memory for a table of rows");
    add_copy(contest, stage, group, place);
    fill_contest(options, place, stage, group, contest);
    if (contest->count == 1)
        group->row_count--; /* nothing to compare with the copy */
    else if (place == ON_GPU)
        status = measure(contest->subjects, first = 1, &options->effort, error);
    for (int i = first; i < contest->count && contest->count > 1; i++)
        if (contest->subjects[i].row->outcome == ROW_TIMED)
            contest->subjects[i].validate(&contest->subjects[i]);
    if (status == STATUS_OK && contest->count > 1)
        status =
            measure(contest->subjects + first, contest->count - first, &options->effort, error);
    for (int i = 0; i < contest->count; i++)
        free(contest->contestants[i].scratch);
    free(contest);
    return status;
}

enum status contest_hold(const struct bench_options *options, struct stage *stage, bool gpu_rows,
                         struct group *group, struct error *error)
{
    enum status status = hold_at(options, ON_CPU, stage, group, error);

    if (status == STATUS_OK && stage->gpu && gpu_rows)
        status = hold_at(options, ON_GPU, stage, group, error);
    return status;
}
