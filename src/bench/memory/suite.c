/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include "src/bench/memory/experiments.h"
#include "src/bench/memory/stage.h"

#include "kernels/common/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start_row(struct row *row, const struct experiment *experiment,
                      const struct problem_size *size)
{
    struct experiment_work work = {0};
    struct array_specs shape = {0};

    experiment->work(experiment, size, &work);
    experiment->shape(experiment, size, &shape);
    *row = (struct row){
        .name = experiment->row,
        .place = experiment->place,
        .bytes = (int64_t)work.useful_bytes,
        .shows = experiment->shows,
        .flops = work.flops,
        .asked = work.asked_bytes,
        .doubles = shape.out.type == ELEMENT_F64,
        .exact = !experiment->bound,
    };
}

/* What is measured, and its results. */
struct memory_run {
    const struct bench_options *options;
    struct memory_setting setting;
    struct results *results;
};

/* Fills the row. *stage is the previous row's stage, and becomes this row's. */
static enum status measure_row(struct memory_run *run, const struct experiment *experiment,
                               struct memory_stage *stage, struct row *row, struct error *error)
{
    const struct problem_size *size = &run->setting.size;
    const char *refusal = experiment->refuses ? experiment->refuses(experiment, size) : NULL;
    struct memory_stage earlier = *stage;
    enum status status;

    if (refusal || (experiment->place == ON_GPU && !run->setting.gpu)) {
        start_row(row, experiment, &(struct problem_size){1, 1, 1, 0});
        row_reject(row, ROW_LEFT_OUT, STATUS_OK, refusal ? refusal : "it needs a GPU");
        return STATUS_OK;
    }
    start_row(row, experiment, size);
    status = memory_stage_measure(stage, &earlier, experiment, &run->setting, &run->options->effort,
                                  row, error);
    memory_stage_free(&earlier);
    return status;
}

static void describe(struct group *group, const struct memory_run *run)
{
    const struct problem_size *size = &run->setting.size;
    const char *file = run->options->image ? strrchr(run->options->image, '/') : NULL;
    char block[32] = "", image[64] = "";

    if (size->block > 0)
        snprintf(block, sizeof block, ", block %d", size->block);
    if (run->setting.picture)
        snprintf(image, sizeof image, ", of %.50s", file ? file + 1 : run->options->image);
    snprintf(group->about, sizeof group->about, "%lld x %lld, halo %lld%s%s",
             (long long)size->width, (long long)size->height, (long long)size->halo, block, image);
}

/* Measures the wanted rows of the group that begins with row number `first`. */
static enum status measure_group(struct memory_run *run, int first, struct group *group,
                                 struct error *error)
{
    const int end = first + experiment_group_rows(first);
    struct memory_stage stage = {0};
    enum status status = STATUS_OK;

    group->name = experiment_at(first)->group;
    describe(group, run);
    for (int i = first; i < end && status == STATUS_OK; i++)
        if (experiment_is_wanted(run->options, experiment_at(i)) && group->row_count < MAX_ROWS)
            status =
                measure_row(run, experiment_at(i), &stage, &group->rows[group->row_count++], error);
    memory_stage_free(&stage);
    return status;
}

/* Measures all groups at entry `number` of --size. The picture serves the groups that take one. */
static enum status measure_groups(struct memory_run *run, int number, const struct image *picture,
                                  struct error *error)
{
    enum status status = STATUS_OK;

    for (int first = 0; status == STATUS_OK && experiment_at(first);
         first += experiment_group_rows(first)) {
        struct group *group = results_add_group(run->results, error);

        if (!group)
            return error->status;
        run->setting.size = problem_size_of_group(run->options, run->setting.gpu, first, number);
        run->setting.picture =
            picture->memory && experiment_group_has_image(first) ? picture : NULL;
        if (run->setting.picture) {
            run->setting.size.width = picture->view.width;
            run->setting.size.height = picture->view.height;
        }
        status = measure_group(run, first, group, error);
        if (status == STATUS_OK)
            results_end_group(run->results);
    }
    return status;
}

/* Makes the picture of --image. A made one has this size, a file has its own. Without --image
 * *picture is empty. The caller frees it. STATUS_UNSUPPORTED for several channels, or samples of
 * two bytes. */
static enum status make_picture(const struct bench_options *options,
                                const struct problem_size *size, struct image *picture,
                                struct error *error)
{
    const struct shape shape = {size->width, size->height, 1, 255};
    enum status status;

    *picture = (struct image){0};
    if (!options->image)
        return STATUS_OK;
    status = picture_make(options->image, &shape, parallel_processors(), picture, error);
    if (status != STATUS_OK || (picture->view.channels == 1 && picture->view.sample_bytes == 1))
        return status;
    status =
        fail(error, STATUS_UNSUPPORTED,
             "%s: it has %d channel%s of %d bits, and --suite memory takes one of 8; pngtopnm, "
             "ppmtopgm and pamdepth make such images",
             options->image, (int)picture->view.channels, picture->view.channels == 1 ? "" : "s",
             8 * (int)picture->view.sample_bytes);
    image_free(picture);
    return status;
}

/* Makes the picture first, so that a bad image fails before anything is measured. */
static enum status measure_size(struct memory_run *run, int number, struct error *error)
{
    const struct problem_size size = problem_size_wanted(run->options, run->setting.gpu, number);
    struct image picture;
    enum status status = make_picture(run->options, &size, &picture, error);

    if (status == STATUS_OK && number == 0)
        status = peaks_measure_copies(run->options, run->setting.gpu, run->results, error);
    if (status == STATUS_OK)
        status = measure_groups(run, number, &picture, error);
    image_free(&picture);
    return status;
}

static enum status measure_all(const struct bench_options *options, struct gpu *gpu,
                               struct results *results, struct error *error)
{
    const int sizes = options->size_count > 0 ? options->size_count : 1;
    struct memory_run run = {.options = options, .setting = {.gpu = gpu}, .results = results};
    enum status status = STATUS_OK;

    for (int i = 0; i < sizes && status == STATUS_OK; i++)
        status = measure_size(&run, i, error);
    if (status == STATUS_OK && gpu && !gpu_is_emulated())
        status = peaks_measure(options, gpu, results, error);
    return status;
}

const struct bench_suite memory_suite = {
    .word = "memory",
    .counted = "",
    .print_list = experiments_print,
    .check = experiments_check,
    .measure = measure_all,
};
