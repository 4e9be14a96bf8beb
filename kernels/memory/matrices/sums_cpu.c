/* SPDX-License-Identifier: MIT */
/* Computes the projection profiles of an image on the CPU, by one thread: the sums of its rows, and
 * the sums of its columns in two ways. Rows are fast, since their samples are adjacent in memory.
 * Columns are slow only if they are summed one after the other. */
#include "kernels/memory/experiment.h"

static void shape(const struct experiment *row, const struct problem_size *size,
                  struct array_specs *shape)
{
    shape->in[0] = (struct array_spec){.type = ELEMENT_U8,
                                       .count = size->width * size->height,
                                       .image = true,
                                       .low = 0,
                                       .high = 255};
    shape->out = (struct array_spec){
        .type = ELEMENT_I64, .count = row->profile == PROFILE_OF_ROWS ? size->height : size->width};
}

/* Computes sums of `samples` samples that are `step` apart. Sum i begins at sample i * next. */
static void sum_one_by_one(const struct experiment_job *job, int64_t samples, int64_t step,
                           int64_t next)
{
    const uint8_t *image = job->in[0].memory;
    int64_t *sums = job->out.memory;

    for (int64_t i = 0; i < job->out.count; i++) {
        int64_t sum = 0;

        for (int64_t sample = 0; sample < samples; sample++)
            sum += image[i * next + sample * step];
        sums[i] = sum;
    }
}

static const char *run_rows(const struct experiment_job *job)
{
    sum_one_by_one(job, job->size.width, 1, job->size.width);
    return NULL;
}

static const char *run_columns(const struct experiment_job *job)
{
    sum_one_by_one(job, job->size.height, job->size.width, 1);
    return NULL;
}

static const char *run_columns_by_rows(const struct experiment_job *job)
{
    const int64_t width = job->size.width;
    const uint8_t *image = job->in[0].memory;
    int64_t *sums = job->out.memory;

    for (int64_t x = 0; x < width; x++)
        sums[x] = 0;
    for (int64_t y = 0; y < job->size.height; y++)
        for (int64_t x = 0; x < width; x++)
            sums[x] += image[y * width + x];
    return NULL;
}

/* Finds by a division to which sum each sample belongs, unlike the tested code, so that it does not
 * repeat a fault of that code. */
static void reference(const struct experiment_job *job)
{
    const int64_t width = job->size.width;
    const uint8_t *image = job->in[0].memory;
    int64_t *sums = job->out.memory;

    for (int64_t i = 0; i < job->out.count; i++)
        sums[i] = 0;
    for (int64_t i = 0; i < width * job->size.height; i++)
        sums[job->row->profile == PROFILE_OF_ROWS ? i / width : i % width] += image[i];
}

static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double samples = (double)(size->width * size->height);
    const double sums = (double)(row->profile == PROFILE_OF_ROWS ? size->height : size->width);

    *work = (struct experiment_work){
        .useful_bytes = samples + 8 * sums, .asked_bytes = samples + 8 * sums, .flops = samples};
}

#define ROW(NAME, PROFILE, FORM, SHOWS)                                                            \
    {                                                                                              \
        .group = "sums", .row = NAME, .shows = SHOWS, .profile = PROFILE, .place = ON_CPU,         \
        .shape = shape, .run = run_##FORM, .reference = reference, .work = work                    \
    }

DEFINE_EXPERIMENTS(sums_cpu) = {
    ROW("CPU, rows of bytes", PROFILE_OF_ROWS, rows,
        "The image's profile by rows: one after the other, as memory lies."),
    ROW("CPU, columns of bytes", PROFILE_OF_COLUMNS, columns,
        "Walked down column by column, every sample is in another line of the cache."),
    ROW("CPU, columns by rows", PROFILE_OF_COLUMNS, columns_by_rows,
        "The same sums, all of them updated row by row: each cache line is used up at once."),
    {0}};
