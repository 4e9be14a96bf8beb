/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include "src/bench/memory/experiments.h"
#include "src/bench/memory/stage.h"

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

struct memory_run {
    const struct bench_options *options;
    struct memory_setting setting;
    struct results *results;
};

/* Measures an experiment and fills its row. On entry *stage is the stage of the previous
 * experiment, whose right result may also be right for this experiment. On return *stage is the
 * stage of this experiment, or unchanged if this experiment is left out. */
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

static void describe(struct group *group, const struct problem_size *size)
{
    char block[32] = "";

    if (size->block > 0)
        snprintf(block, sizeof block, ", block %d", size->block);
    snprintf(group->about, sizeof group->about, "%lld x %lld, halo %lld%s", (long long)size->width,
             (long long)size->height, (long long)size->halo, block);
}

/* Measures the selected experiments of the group that begins with experiment number `first`. */
static enum status measure_group(struct memory_run *run, int first, struct group *group,
                                 struct error *error)
{
    const int end = first + experiment_group_rows(first);
    struct memory_stage stage = {0};
    enum status status = STATUS_OK;

    group->name = experiment_at(first)->group;
    describe(group, &run->setting.size);
    for (int i = first; i < end && status == STATUS_OK; i++)
        if (experiment_is_wanted(run->options, experiment_at(i)) && group->row_count < MAX_ROWS)
            status =
                measure_row(run, experiment_at(i), &stage, &group->rows[group->row_count++], error);
    memory_stage_free(&stage);
    return status;
}

/* Measures all groups with the size that entry `number` of --size gives. */
static enum status measure_groups(struct memory_run *run, int number, struct error *error)
{
    enum status status = STATUS_OK;

    for (int first = 0; status == STATUS_OK && experiment_at(first);
         first += experiment_group_rows(first)) {
        struct group *group = results_add_group(run->results, error);

        if (!group)
            return error->status;
        run->setting.size = problem_size_of_group(run->options, run->setting.gpu, first, number);
        status = measure_group(run, first, group, error);
        if (status == STATUS_OK)
            results_end_group(run->results);
    }
    return status;
}

static enum status measure_all(const struct bench_options *options, struct gpu *gpu,
                               struct results *results, struct error *error)
{
    const int sizes = options->size_count > 0 ? options->size_count : 1;
    struct memory_run run = {.options = options, .setting = {.gpu = gpu}, .results = results};
    enum status status = peaks_measure_copies(options, gpu, results, error);

    for (int i = 0; i < sizes && status == STATUS_OK; i++)
        status = measure_groups(&run, i, error);
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
