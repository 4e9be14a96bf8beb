/* SPDX-License-Identifier: MIT */
#include "lab_suite.h"

#include "cells.h"
#include "lab_roofs.h"
#include "lab_stage.h"
#include "results.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_HALO 4
/* Without --size a group is as large as a GPU's memory wants it, or as large as the CPU can compute
 * the right result of in some seconds. */
#define DEFAULT_SIDE 4096
#define DEFAULT_SIDE_CPU 1024
#define DEFAULT_SIDE_EMULATED 96
#define MAX_FLOPS 2e10
#define MAX_FLOPS_CPU 3e9
#define MAX_FLOPS_EMULATED 2e6

bool lab_suite_wants(const struct bench_options *options, const struct experiment *experiment)
{
    const size_t length = strlen(experiment->group);

    if (options->where != ANYWHERE && (options->where == GPU_ONLY) != (experiment->place == ON_GPU))
        return false;
    for (int i = 0; i < options->experiment_count; i++) {
        const char *name = options->experiments[i];

        if (strncmp(name, experiment->group, length) == 0 &&
            (name[length] == '\0' ||
             (name[length] == '/' && strcmp(name + length + 1, experiment->row) == 0)))
            return true;
    }
    return options->experiment_count == 0;
}

static enum status check_name(const char *name, struct error *error)
{
    const struct bench_options one = {.experiments = {name}, .experiment_count = 1};
    const struct experiment *experiment;
    struct word_list groups = {0};

    for (int i = 0; (experiment = lab_row(i)) != NULL; i++) {
        if (lab_suite_wants(&one, experiment))
            return STATUS_OK;
        words_add(&groups, experiment->group);
    }
    return fail(error, STATUS_USAGE,
                "--experiment %s: there is no such group or GROUP/ROW%s; groups of this build are "
                "%s: see --suite memory --list",
                name, words_nearest(&groups, name).text, words_joined(&groups, "and").text);
}

enum status lab_suite_check(const struct bench_options *options, const struct machine *machine,
                            struct error *error)
{
    if (options->where == GPU_ONLY && !machine->has_gpu)
        return fail(error, STATUS_DEVICE, "--place gpu: %s", machine->no_gpu);
    for (int i = 0; i < options->experiment_count; i++) {
        const enum status status = check_name(options->experiments[i], error);

        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

void lab_suite_print(FILE *stream)
{
    const struct experiment *experiment;

    fprintf(stream, "%-20s  %-30s  %s\n", "group", "row", "place");
    for (int i = 0; (experiment = lab_row(i)) != NULL; i++) {
        fprintf(stream, "%-20s  %-30s  %s\n", experiment->group, experiment->row,
                place_word(experiment->place));
        print_wrapped(stream, experiment->shows, fprintf(stream, "    "));
    }
}

static struct lab_group *add_group(struct lab_results *results, struct error *error)
{
    const size_t count = (size_t)results->group_count + 1;
    struct lab_group *groups = realloc(results->groups, count * sizeof *groups);

    if (!groups) {
        fail(error, STATUS_INPUT, "no memory for the results");
        return NULL;
    }
    results->groups = groups;
    groups[results->group_count] = (struct lab_group){.row_count = 0};
    return &groups[results->group_count++];
}

static void start_row(struct lab_row *row, const struct experiment *experiment,
                      const struct lab_size *size)
{
    struct lab_work work = {0};
    struct lab_shape shape = {0};

    experiment->work(experiment, size, &work);
    experiment->shape(experiment, size, &shape);
    *row = (struct lab_row){
        .row = {.name = experiment->row,
                .place = experiment->place,
                .pixels = shape.out.count,
                .bytes = (int64_t)work.useful_bytes},
        .shows = experiment->shows,
        .flops = work.flops,
        .asked = work.asked_bytes,
        .doubles = shape.out.type == LAB_F64,
        .exact = !experiment->bound,
    };
}

/* Fills the row; *stage is the last row's and becomes this one's. */
static enum status measure_row(const struct bench_options *options, struct gpu *gpu,
                               const struct experiment *experiment, const struct lab_size *size,
                               struct lab_stage *stage, struct lab_row *row, struct error *error)
{
    const char *refusal = experiment->refuses ? experiment->refuses(experiment, size) : NULL;
    struct lab_stage earlier = *stage;
    struct subject subject = {.row = &row->row, .context = stage, .run = lab_stage_run};
    struct error why;

    if (refusal || (experiment->place == ON_GPU && !gpu)) {
        start_row(row, experiment, &(struct lab_size){1, 1, 1, 0});
        row_reject(&row->row, ROW_LEFT_OUT, STATUS_OK, refusal ? refusal : "it needs a GPU");
        return STATUS_OK;
    }
    start_row(row, experiment, size);
    if (lab_stage_make(stage, &earlier, experiment, size, gpu, &why) == STATUS_OK)
        lab_stage_validate(stage, row);
    else
        row_reject(&row->row, ROW_FAILED, why.status, why.text);
    lab_stage_free(&earlier);
    return measure(&subject, 1, &options->effort, error);
}

static void describe(struct lab_group *group, const struct lab_size *size)
{
    char block[32] = "";

    if (size->block > 0)
        snprintf(block, sizeof block, ", block %d", size->block);
    snprintf(group->size, sizeof group->size, "%lld x %lld, halo %lld%s", (long long)size->width,
             (long long)size->height, (long long)size->halo, block);
}

/* The rows from number `first` on that are of its group. */
static enum status measure_group(const struct bench_options *options, struct gpu *gpu, int first,
                                 const struct lab_size *size, struct lab_group *group,
                                 struct error *error)
{
    const char *name = lab_row(first)->group;
    const struct experiment *experiment;
    struct lab_stage stage = {0};
    enum status status = STATUS_OK;

    group->name = name;
    describe(group, size);
    for (int i = first; status == STATUS_OK && (experiment = lab_row(i)) != NULL &&
                        strcmp(experiment->group, name) == 0;
         i++)
        if (lab_suite_wants(options, experiment) && group->row_count < LAB_MAX_ROWS)
            status = measure_row(options, gpu, experiment, size, &stage,
                                 &group->rows[group->row_count++], error);
    lab_stage_free(&stage);
    return status;
}

/* The most operations of a row of the group. */
static double heaviest(int first, const struct lab_size *size)
{
    const char *name = lab_row(first)->group;
    const struct experiment *experiment;
    double most = 0;

    for (int i = first; (experiment = lab_row(i)) != NULL && strcmp(experiment->group, name) == 0;
         i++) {
        struct lab_work work = {0};

        experiment->work(experiment, size, &work);
        most = work.flops > most ? work.flops : most;
    }
    return most;
}

static struct lab_size size_of(const struct bench_options *options, const struct gpu *gpu,
                               int first, int number)
{
    const bool emulated = gpu && gpu_is_emulated();
    const double most = emulated ? MAX_FLOPS_EMULATED : gpu ? MAX_FLOPS : MAX_FLOPS_CPU;
    const int64_t side = emulated ? DEFAULT_SIDE_EMULATED : gpu ? DEFAULT_SIDE : DEFAULT_SIDE_CPU;
    struct lab_size size = {side, side, DEFAULT_HALO, (int)options->block};

    if (options->halo_count > 0 && options->halos[0] > 0)
        size.halo = options->halos[0];
    if (options->size_count > 0) {
        size.width = options->sizes[number].width;
        size.height = options->sizes[number].height;
        return size;
    }
    if (!emulated && strcmp(lab_row(first)->group, PEAK_GROUP) == 0)
        return size; /* its right result costs nothing, and its copies must be large */
    while (size.width > 1 && heaviest(first, &size) > most) {
        size.width /= 2;
        size.height /= 2;
    }
    return size;
}

static int rows_of_group(int first)
{
    const char *name = lab_row(first)->group;
    int count = 0;

    while (lab_row(first + count) && strcmp(lab_row(first + count)->group, name) == 0)
        count++;
    return count;
}

static enum status measure_groups(const struct bench_options *options, struct gpu *gpu, int number,
                                  struct lab_results *results, lab_group_done *done, void *context,
                                  struct error *error)
{
    enum status status = STATUS_OK;

    for (int first = 0; status == STATUS_OK && lab_row(first); first += rows_of_group(first)) {
        const struct lab_size size = size_of(options, gpu, first, number);
        struct lab_group *group = add_group(results, error);

        if (!group)
            return error->status;
        status = measure_group(options, gpu, first, &size, group, error);
        if (status == STATUS_OK && group->row_count == 0)
            results->group_count--; /* nothing of it was asked for */
        else if (status == STATUS_OK)
            done(context, group);
    }
    return status;
}

enum status lab_suite_measure(const struct bench_options *options, struct gpu *gpu,
                              struct lab_results *results, lab_group_done *done, void *context,
                              struct error *error)
{
    const int sizes = options->size_count > 0 ? options->size_count : 1;
    enum status status = lab_roofs_copy(options, gpu, &results->roofs, error);

    for (int i = 0; i < sizes && status == STATUS_OK; i++)
        status = measure_groups(options, gpu, i, results, done, context, error);
    if (status == STATUS_OK && gpu && options->where != CPU_ONLY)
        status = lab_roofs_peak(options, gpu, &results->roofs, error);
    return status;
}
