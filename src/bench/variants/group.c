/* SPDX-License-Identifier: MIT */
/* Measures one group of rows (lines of the table): the variants of one operation on one picture,
 * the functions of the library, and plain copies. */
#include "src/bench/core/copy.h"
#include "src/bench/variants/entries.h"
#include "src/bench/variants/suite.h"
#include "src/bench/core/measure.h"
#include "src/bench/variants/stage.h"
#include "src/lib/filter/plan.h"
#include "src/files/image/compare.h"
#include "src/bench/run/on_device.h"

#include <stdio.h>
#include <stdlib.h>

/* A variant that measure() runs. It is the context of a struct subject. */
struct variant_subject {
    struct stage *stage;
    struct variant variant;
    struct plan plan;       /* for a CPU variant */
    struct piece piece;     /* for a CPU variant; release() frees its scratch */
    struct on_device there; /* for a GPU variant */
    /* The variant calls a function of smoothimg.h, which may refuse what other variants compute. */
    bool library;
};

static const char *run_piece(void *context)
{
    const struct variant_subject *own = context;

    return plan_run(&own->plan, &own->piece);
}

static enum status plan_on_cpu(struct variant_subject *own, struct error *error)
{
    const enum status status = plan_make(&own->variant, &own->stage->request, &own->plan, error);

    if (status != STATUS_OK)
        return status;
    own->piece = plan_piece(&own->plan);
    if (own->plan.scratch_bytes > 0)
        own->piece.scratch = aligned_alloc(64, (own->plan.scratch_bytes + 63) / 64 * 64);
    return own->plan.scratch_bytes == 0 || own->piece.scratch
               ? STATUS_OK
               : fail(error, STATUS_INPUT, "no memory to work in");
}

/* Runs the variant `runs` times, and sets *seconds. measure() calls it through subject->run. */
static enum status variant_subject_run(struct subject *subject, int64_t runs, double *seconds,
                                       struct error *error)
{
    struct variant_subject *own = subject->context;

    return own->variant.backend == ON_GPU ? on_device_run(&own->there, runs, seconds, error)
                                          : time_calls(run_piece, own, runs, seconds, error);
}

static enum status run_once(struct subject *subject, struct error *error)
{
    struct variant_subject *own = subject->context;
    double seconds;
    enum status status;

    status = own->variant.backend == ON_GPU
                 ? on_device_make(&own->there, own->stage->gpu, &own->variant, &own->stage->request,
                                  0, error)
                 : plan_on_cpu(own, error);
    if (status == STATUS_OK)
        status = variant_subject_run(subject, 1, &seconds, error);
    return status == STATUS_OK && own->variant.backend == ON_GPU ? on_device_get(&own->there, error)
                                                                 : status;
}

/* Frees the memory that run_once allocated on the host or the GPU. */
static void release(struct variant_subject *own)
{
    on_device_free(&own->there);
    free(own->piece.scratch);
    plan_free(&own->plan);
    own->piece.scratch = NULL;
}

/* Times on the emulated device mean nothing, so rows that run there are only checked, and no copy
 * is measured. */
static bool is_timed(enum backend place)
{
    return place == ON_CPU || !gpu_is_emulated();
}

static void judge(const struct stage *stage, struct row *row)
{
    const struct difference difference = compare_views(&stage->wanted.view, &stage->got.view);
    const int32_t bytes = stage->wanted.view.sample_bytes;
    char why[256];

    if (difference.samples == 0) {
        row->outcome = is_timed(row->place) ? ROW_TIMED : ROW_CHECKED;
        return;
    }
    snprintf(why, sizeof why,
             "%lld samples differ from the right ones; the first is x %lld, y %lld, channel %d: "
             "wanted %s, got %s",
             (long long)difference.samples, (long long)difference.x, (long long)difference.y,
             (int)difference.channel, sample_text(difference.wanted, bytes).text,
             sample_text(difference.got, bytes).text);
    row_reject(row, ROW_DIFFERENT, STATUS_DIFFERENT, why);
}

/* Runs the variant once and checks the result. Sets the outcome of its row and, unless the result
 * is right, the reason. */
static void validate(struct subject *subject)
{
    struct variant_subject *own = subject->context;
    struct stage *stage = own->stage;
    struct error error;
    enum status status;

    stage_poison(stage);
    status = run_once(subject, &error);
    if (status == STATUS_OK)
        judge(stage, subject->row);
    else if (status == STATUS_UNSUPPORTED || own->library) /* a refusal is not a failure */
        row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK, error.text);
    else
        row_reject(subject->row, ROW_FAILED, error.status, error.text);
}

/* A copy on a GPU reads at least this many bytes, and writes as many, so that it measures the
 * memory and not the cache. */
#define GPU_COPY_BYTES ((int64_t)512 << 20)

/* The subjects that are measured together: all on the CPU, or all on the GPU. */
struct subjects {
    struct subject list[MAX_ROWS];
    /* own[i] is the context of list[i], unless list[i] is a plain copy of memory. */
    struct variant_subject own[MAX_ROWS];
    int count;
    struct copy copy; /* the context of list[0], if list[0] is a copy */
};

static struct subject *add(struct subjects *subjects, struct group *group, const char *name,
                           enum backend place)
{
    struct subject *subject = &subjects->list[subjects->count++];
    struct row *row = &group->rows[group->row_count++];

    *subject = (struct subject){.row = row};
    *row = (struct row){
        .name = name,
        .place = place,
        .pixels = group_samples(group) / group->shape.channels,
        .bytes = 2 * group_samples(group) * sample_bytes_of(group->shape.maxval),
    };
    return subject;
}

/* Adds a subject that copies memory: on the CPU from the picture to the result, on a GPU between
 * buffers that copy_run makes. */
static void add_copy(struct subjects *subjects, const struct stage *stage, struct group *group,
                     enum backend place)
{
    struct subject *subject = add(subjects, group, COPY_NAME, place);
    struct row *row = subject->row;

    row->copy = true;
    if (place == ON_GPU && row->bytes < 2 * GPU_COPY_BYTES)
        row->bytes = 2 * GPU_COPY_BYTES;
    row->pixels = row->bytes / 2 / group->shape.channels / sample_bytes_of(group->shape.maxval);
    subjects->copy = (struct copy){place == ON_GPU ? stage->gpu : NULL, stage->got.memory,
                                   stage->picture->memory, row->bytes / 2, stage->request.threads};
    subject->context = &subjects->copy;
    subject->run = copy_run;
}

static struct subject *add_entry(struct subjects *subjects, struct stage *stage,
                                 struct group *group, const struct entry *entry)
{
    struct variant_subject *own = &subjects->own[subjects->count];
    struct subject *subject = add(subjects, group, entry->name, entry->place);

    *own = (struct variant_subject){
        .stage = stage, .variant = entry->variant, .library = entry->kind == ENTRY_LIBRARY};
    subject->context = own;
    subject->run = variant_subject_run;
    return subject;
}

static void add_entries(const struct bench_options *options, enum backend place,
                        struct stage *stage, struct group *group, struct subjects *subjects)
{
    struct entry entry;

    for (int i = 0; entry_at(i, &entry) && group->row_count < MAX_ROWS; i++) {
        struct subject *subject;

        if (entry.op != stage->op || entry.place != place || !entry_is_wanted(options, &entry))
            continue;
        subject = add_entry(subjects, stage, group, &entry);
        if (entry.variant.reference && stage_is_long(stage) && !entry_is_named(options, entry.name))
            row_reject(subject->row, ROW_LEFT_OUT, STATUS_OK,
                       "it would take long; --variant reference insists");
    }
}

/* On the CPU, checks the results of all subjects, then measures the subjects in turns, so that the
 * load of other programs affects them alike. On the GPU, where no other programs are expected,
 * checks and measures one subject after the other, so that the GPU's memory holds the images of one
 * subject only. */
static enum status measure_subjects(const struct effort *effort, enum backend place,
                                    struct subjects *subjects, struct error *error)
{
    const int at_once = place == ON_GPU ? 1 : subjects->count;
    enum status status = STATUS_OK;

    for (int i = 0; i < subjects->count && status == STATUS_OK; i += at_once) {
        for (int j = i; j < i + at_once; j++)
            if (subjects->list[j].row->outcome == ROW_TIMED && !subjects->list[j].row->copy)
                validate(&subjects->list[j]);
        status = measure(&subjects->list[i], at_once, effort, error);
        for (int j = i; j < i + at_once; j++)
            release(&subjects->own[j]);
    }
    return status;
}

static enum status measure_place(const struct bench_options *options, enum backend place,
                                 struct stage *stage, struct group *group, struct error *error)
{
    struct subjects *subjects = calloc(1, sizeof *subjects);
    enum status status = STATUS_OK;

    if (!subjects)
        return fail(error, STATUS_INPUT, "no memory for a table of rows");
    if (is_timed(place))
        add_copy(subjects, stage, group, place);
    add_entries(options, place, stage, group, subjects);
    if (subjects->count == 1 && subjects->list[0].row->copy)
        group->row_count--; /* there is no variant to compare with the copy */
    else
        status = measure_subjects(&options->effort, place, subjects, error);
    free(subjects);
    return status;
}

enum status variants_measure_group(const struct bench_options *options, struct stage *stage,
                                   bool gpu_rows, struct group *group, struct error *error)
{
    enum status status = measure_place(options, ON_CPU, stage, group, error);

    if (status == STATUS_OK && stage->gpu && gpu_rows)
        status = measure_place(options, ON_GPU, stage, group, error);
    return status;
}
