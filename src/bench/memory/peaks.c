/* SPDX-License-Identifier: MIT */
#include "lab_roofs.h"

#include "lab_stage.h"

#include <stdlib.h>
#include <string.h>

#define COPY_BYTES ((int64_t)256 << 20)
#define COPY_BYTES_EMULATED ((int64_t)1 << 20)
#define PEAK_SIDE 2048 /* enough threads for every multiprocessor */
#define PEAK_SIDE_EMULATED 8

/* The context of a copy. */
struct copying {
    struct gpu *gpu;
    char *to, *from;
    int64_t bytes;
};

static enum status copy_on_cpu(struct subject *subject, int64_t runs, double *seconds,
                               struct error *error)
{
    const struct copying *copying = subject->context;
    const double start = clock_seconds();

    (void)error;
    for (int64_t i = 0; i < runs; i++)
        memcpy(copying->to, copying->from, (size_t)copying->bytes);
    *seconds = clock_seconds() - start;
    return STATUS_OK;
}

static enum status copy_on_gpu(struct subject *subject, int64_t runs, double *seconds,
                               struct error *error)
{
    const struct copying *copying = subject->context;

    return gpu_time_copy(copying->gpu, copying->bytes, runs, seconds, error);
}

/* Bytes a second, read and written. */
static enum status measure_copy(const struct bench_options *options, struct copying *copying,
                                double *rate, struct error *error)
{
    struct row row = {
        .name = "copy", .place = copying->gpu ? ON_GPU : ON_CPU, .bytes = 2 * copying->bytes};
    struct subject subject = {
        .row = &row, .context = copying, .run = copying->gpu ? copy_on_gpu : copy_on_cpu};
    const enum status status = measure(&subject, 1, &options->effort, error);

    *rate = row_rate(&row);
    if (status == STATUS_OK && row.outcome == ROW_FAILED)
        return fail(error, row.status, "%s", row.why);
    return status;
}

enum status lab_roofs_copy(const struct bench_options *options, struct gpu *gpu,
                           struct lab_roofs *roofs, struct error *error)
{
    const int64_t bytes = gpu_is_emulated() ? COPY_BYTES_EMULATED : COPY_BYTES;
    struct copying on_cpu = {
        .to = malloc((size_t)bytes), .from = malloc((size_t)bytes), .bytes = bytes};
    struct copying on_gpu = {.gpu = gpu, .bytes = 2 * bytes};
    enum status status = STATUS_OK;

    if (!on_cpu.to || !on_cpu.from)
        status = fail(error, STATUS_INPUT, "no memory for a copy of %lld bytes", (long long)bytes);
    if (status == STATUS_OK && options->where != GPU_ONLY) {
        memset(on_cpu.from, 1, (size_t)bytes);
        status = measure_copy(options, &on_cpu, &roofs->copy[ON_CPU], error);
    }
    if (status == STATUS_OK && gpu && options->where != CPU_ONLY)
        status = measure_copy(options, &on_gpu, &roofs->copy[ON_GPU], error);
    free(on_cpu.to);
    free(on_cpu.from);
    return status;
}

static enum status measure_peak(const struct bench_options *options, struct gpu *gpu,
                                const struct experiment *experiment, struct lab_roofs *roofs,
                                struct error *error)
{
    const int64_t side = gpu_is_emulated() ? PEAK_SIDE_EMULATED : PEAK_SIDE;
    const struct lab_setting setting = {.size = {side, side, 1, 0}, .gpu = gpu};
    struct lab_stage stage;
    struct lab_work work;
    struct lab_row row = {.row = {.name = experiment->row, .place = ON_GPU}};
    struct subject subject = {.row = &row.row, .context = &stage, .run = lab_stage_run};
    struct error why;
    enum status status = STATUS_OK;

    experiment->work(experiment, &setting.size, &work);
    if (!(work.flops > 0)) /* a copy: lab_roofs_copy has its own */
        return STATUS_OK;
    row.flops = work.flops;
    if (lab_stage_make(&stage, NULL, experiment, &setting, &why) == STATUS_OK) {
        lab_stage_validate(&stage, &row);
        status = measure(&subject, 1, &options->effort, error);
        roofs->peak[stage.shape.out.type == LAB_F64] = lab_flop_rate(&row);
    }
    lab_stage_free(&stage);
    return status;
}

enum status lab_roofs_peak(const struct bench_options *options, struct gpu *gpu,
                           struct lab_roofs *roofs, struct error *error)
{
    const struct experiment *experiment;
    enum status status = STATUS_OK;

    for (int i = 0; status == STATUS_OK && (experiment = lab_row(i)) != NULL; i++)
        if (strcmp(experiment->group, PEAK_GROUP) == 0 && experiment->place == ON_GPU)
            status = measure_peak(options, gpu, experiment, roofs, error);
    return status;
}
