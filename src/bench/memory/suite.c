/* SPDX-License-Identifier: MIT */
#include "lab_suite.h"

#include "lab_choice.h"
#include "lab_picture.h"
#include "lab_roofs.h"
#include "lab_sizes.h"
#include "lab_stage.h"
#include "results.h"

#include <stdlib.h>
#include <string.h>

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

/* What is measured, and what comes out. */
struct lab_run {
    const struct bench_options *options;
    struct lab_setting setting;
    struct lab_results *results;
};

static enum status validate(const struct lab_run *run, struct lab_stage *stage, struct lab_row *row,
                            struct error *error)
{
    lab_stage_validate(stage, row);
    if (row->row.outcome != ROW_TIMED || !run->options->profiles)
        return STATUS_OK;
    return profiles_take(&run->results->profiles, &stage->host, error);
}

/* Fills the row; *stage is the last row's and becomes this one's. */
static enum status measure_row(const struct lab_run *run, const struct experiment *experiment,
                               struct lab_stage *stage, struct lab_row *row, struct error *error)
{
    const struct lab_size *size = &run->setting.size;
    const char *refusal = experiment->refuses ? experiment->refuses(experiment, size) : NULL;
    struct lab_stage earlier = *stage;
    struct subject subject = {.row = &row->row, .context = stage, .run = lab_stage_run};
    enum status status = STATUS_OK;
    struct error why;

    if (refusal || (experiment->place == ON_GPU && !run->setting.gpu)) {
        start_row(row, experiment, &(struct lab_size){1, 1, 1, 0});
        row_reject(&row->row, ROW_LEFT_OUT, STATUS_OK, refusal ? refusal : "it needs a GPU");
        return STATUS_OK;
    }
    start_row(row, experiment, size);
    row->traced = lab_traces_find(&run->results->traces, experiment);
    if (lab_stage_make(stage, &earlier, experiment, &run->setting, &why) == STATUS_OK)
        status = validate(run, stage, row, error);
    else
        row_reject(&row->row, ROW_FAILED, why.status, why.text);
    lab_stage_free(&earlier);
    return status == STATUS_OK ? measure(&subject, 1, &run->options->effort, error) : status;
}

static void describe(struct lab_group *group, const struct lab_run *run)
{
    const struct lab_size *size = &run->setting.size;
    const char *file = run->options->image ? strrchr(run->options->image, '/') : NULL;
    char block[32] = "", image[64] = "";

    if (size->block > 0)
        snprintf(block, sizeof block, ", block %d", size->block);
    if (run->setting.picture)
        snprintf(image, sizeof image, ", of %.50s", file ? file + 1 : run->options->image);
    snprintf(group->size, sizeof group->size, "%lld x %lld, halo %lld%s%s", (long long)size->width,
             (long long)size->height, (long long)size->halo, block, image);
}

/* The rows from number `first` on that are of its group. */
static enum status measure_group(const struct lab_run *run, int first, struct lab_group *group,
                                 struct error *error)
{
    const int end = first + lab_group_rows(first);
    struct lab_stage stage = {0};
    enum status status = STATUS_OK;

    group->name = lab_row(first)->group;
    describe(group, run);
    for (int i = first; i < end && status == STATUS_OK; i++)
        if (lab_choice_wants(run->options, lab_row(i)) && group->row_count < LAB_MAX_ROWS)
            status = measure_row(run, lab_row(i), &stage, &group->rows[group->row_count++], error);
    lab_stage_free(&stage);
    return status;
}

/* The groups at the size of that number; the image is that of those that take one. */
static enum status measure_groups(struct lab_run *run, int number, const struct image *picture,
                                  lab_group_done *done, void *context, struct error *error)
{
    enum status status = STATUS_OK;

    for (int first = 0; status == STATUS_OK && lab_row(first); first += lab_group_rows(first)) {
        struct lab_group *group = add_group(run->results, error);

        if (!group)
            return error->status;
        run->setting.size = lab_size_of(run->options, run->setting.gpu, first, number);
        run->setting.picture = picture->memory && lab_group_has_image(first) ? picture : NULL;
        if (run->setting.picture) {
            run->setting.size.width = picture->view.width;
            run->setting.size.height = picture->view.height;
        }
        status = measure_group(run, first, group, error);
        if (status == STATUS_OK && group->row_count == 0)
            run->results->group_count--; /* nothing of it was asked for */
        else if (status == STATUS_OK)
            done(context, group);
    }
    return status;
}

/* Once, before all groups: what their rows are held against. */
static enum status measure_roofs(const struct lab_run *run, struct error *error)
{
    const struct bench_options *options = run->options;
    enum status status = STATUS_OK;

    if (run->setting.gpu && options->where != CPU_ONLY)
        status = lab_traces_make(options, &run->results->traces, error);
    return status == STATUS_OK
               ? lab_roofs_copy(options, run->setting.gpu, &run->results->roofs, error)
               : status;
}

/* A bad image is found before anything is measured. */
static enum status measure_size(struct lab_run *run, int number, lab_group_done *done,
                                void *context, struct error *error)
{
    const struct lab_size size = lab_size_wanted(run->options, run->setting.gpu, number);
    struct image picture;
    enum status status = lab_picture_make(run->options, &size, &picture, error);

    if (status == STATUS_OK && number == 0)
        status = measure_roofs(run, error);
    if (status == STATUS_OK)
        status = measure_groups(run, number, &picture, done, context, error);
    image_free(&picture);
    return status;
}

enum status lab_suite_measure(const struct bench_options *options, struct gpu *gpu,
                              struct lab_results *results, lab_group_done *done, void *context,
                              struct error *error)
{
    const int sizes = options->size_count > 0 ? options->size_count : 1;
    struct lab_run run = {.options = options, .setting = {.gpu = gpu}, .results = results};
    enum status status = STATUS_OK;

    for (int i = 0; i < sizes && status == STATUS_OK; i++)
        status = measure_size(&run, i, done, context, error);
    if (status == STATUS_OK && gpu && options->where != CPU_ONLY)
        status = lab_roofs_peak(options, gpu, &results->roofs, error);
    return status;
}
