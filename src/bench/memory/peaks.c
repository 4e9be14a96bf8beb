/* SPDX-License-Identifier: MIT */
#include "src/bench/memory/suite.h"

#include "src/bench/core/copy.h"
#include "src/bench/memory/experiments.h"
#include "src/bench/memory/stage.h"

#include <stdlib.h>
#include <string.h>

#define COPY_BYTES ((int64_t)256 << 20)
/* width and height of the arrays; so large that every multiprocessor has enough threads */
#define PEAK_SIDE 2048

static enum status measure_copy(const struct bench_options *options, struct copy *copy,
                                struct results *results, struct error *error)
{
    struct row row = {
        .name = "copy", .place = copy->gpu ? ON_GPU : ON_CPU, .bytes = 2 * copy->bytes};
    struct subject subject = {.row = &row, .context = copy, .run = copy_run};
    const enum status status = measure(&subject, 1, &options->effort, error);

    results->copy_rate[row.place] = row_rate(&row);
    if (status == STATUS_OK && row.outcome == ROW_FAILED)
        return fail(error, row.status, "%s", row.why);
    return status;
}

enum status peaks_measure_copies(const struct bench_options *options, struct gpu *gpu,
                                 struct results *results, struct error *error)
{
    const int64_t bytes = COPY_BYTES;
    void *from = malloc((size_t)bytes), *to = malloc((size_t)bytes);
    struct copy on_cpu = {NULL, to, from, bytes, 1}, on_gpu = {.gpu = gpu, .bytes = 2 * bytes};
    enum status status = STATUS_OK;

    if (!to || !from)
        status = fail(error, STATUS_INPUT, "no memory for a copy of %lld bytes", (long long)bytes);
    if (status == STATUS_OK && options->where != GPU_ONLY) {
        memset(from, 1, (size_t)bytes);
        status = measure_copy(options, &on_cpu, results, error);
    }
    if (status == STATUS_OK && gpu && !gpu_is_emulated())
        status = measure_copy(options, &on_gpu, results, error);
    free(from);
    free(to);
    return status;
}

static enum status measure_peak(const struct bench_options *options, struct gpu *gpu,
                                const struct experiment *experiment, struct results *results,
                                struct error *error)
{
    const struct memory_setting setting = {.size = {PEAK_SIDE, PEAK_SIDE, 1, 0}, .gpu = gpu};
    struct memory_stage stage;
    struct experiment_work work;
    struct row row = {.name = experiment->row, .place = ON_GPU};
    enum status status;

    experiment->work(experiment, &setting.size, &work);
    if (!(work.flops > 0)) /* no arithmetic: a copy, which peaks_measure_copies measures */
        return STATUS_OK;
    row.flops = work.flops;
    status =
        memory_stage_measure(&stage, NULL, experiment, &setting, &options->effort, &row, error);
    results->peak[stage.shape.out.type == ELEMENT_F64] = row_flop_rate(&row);
    memory_stage_free(&stage);
    return status;
}

enum status peaks_measure(const struct bench_options *options, struct gpu *gpu,
                          struct results *results, struct error *error)
{
    const struct experiment *experiment;
    enum status status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && (experiment = experiment_at(i)) != NULL; i++)
        if (strcmp(experiment->group, PEAK_GROUP) == 0 && experiment->place == ON_GPU)
            status = measure_peak(options, gpu, experiment, results, error);
    return status;
}
