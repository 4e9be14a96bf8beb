/* SPDX-License-Identifier: MIT */
#include "contest.h"

#include "contestant.h"
#include "entries.h"

#include <stdlib.h>

/* A GPU's copy is of this much at least, so that it measures the memory and not the cache. */
#define GPU_COPY_BYTES ((int64_t)512 << 20)

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

    row->roof = true;
    contestant_enter(&contest->subjects[contest->count - 1]);
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
    contestant_enter(subject);
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
            row_reject(contest->subjects[contest->count - 1].row, ROW_LEFT_OUT, STATUS_OK,
                       "it would take long; --variant reference insists");
    }
}

static void validate(struct subject *subject)
{
    if (subject->row->outcome == ROW_TIMED)
        subject->validate(subject);
}

/* In turns: what else the processors do meets all rows. */
static enum status hold_on_cpu(struct contest *contest, const struct effort *effort,
                               struct error *error)
{
    for (int i = 0; i < contest->count; i++)
        validate(&contest->subjects[i]);
    return measure(contest->subjects, contest->count, effort, error);
}

/* One after the other: a GPU is nobody else's, and each variant wants the image in a place of its
 * own on the device, which validation brings it to. */
static enum status hold_on_gpu(struct contest *contest, const struct effort *effort,
                               struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < contest->count && status == STATUS_OK; i++) {
        validate(&contest->subjects[i]);
        status = measure(&contest->subjects[i], 1, effort, error);
    }
    return status;
}

static enum status hold_at(const struct bench_options *options, enum place place,
                           struct stage *stage, struct group *group, struct error *error)
{
    struct contest *contest = calloc(1, sizeof *contest);
    enum status status = STATUS_OK;

    if (!contest)
        return fail(error, STATUS_INPUT, "no memory for a table of rows");
    add_copy(contest, stage, group, place);
    fill_contest(options, place, stage, group, contest);
    if (contest->count == 1)
        group->row_count--; /* nothing to compare with the copy */
    else
        status = place == ON_GPU ? hold_on_gpu(contest, &options->effort, error)
                                 : hold_on_cpu(contest, &options->effort, error);
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
