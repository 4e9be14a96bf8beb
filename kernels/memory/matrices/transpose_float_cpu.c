/* SPDX-License-Identifier: MIT */
/* Transposes a matrix of floats on the CPU by one thread: row by row, or in tiles that fit the
 * cache. The lesson is the same as on the GPU: use together what is near in memory. */
#include "kernels/common/numbers.h"
#include "kernels/memory/experiment.h"

#define EDGE 16 /* 16 floats are a cache line */

static void shape(const struct experiment *row, const struct problem_size *size,
                  struct array_specs *shape)
{
    const int64_t count = size->width * size->height;

    (void)row;
    shape->in[0] =
        (struct array_spec){.type = ELEMENT_F32, .count = count, .low = -8000000, .high = 8000000};
    shape->out = (struct array_spec){.type = ELEMENT_F32, .count = count};
}

/* Transposes columns x..x_end-1 of rows y..y_end-1. */
static void transpose_part(const struct experiment_job *job, int64_t x, int64_t x_end, int64_t y,
                           int64_t y_end)
{
    const int64_t width = job->size.width, height = job->size.height;
    const float *in = job->in[0].memory;
    float *out = job->out.memory;

    for (int64_t row = y; row < y_end; row++)
        for (int64_t column = x; column < x_end; column++)
            out[column * height + row] = in[row * width + column];
}

static const char *run_plain(const struct experiment_job *job)
{
    transpose_part(job, 0, job->size.width, 0, job->size.height);
    return NULL;
}

static const char *run_tiled(const struct experiment_job *job)
{
    const int64_t width = job->size.width, height = job->size.height;

    for (int64_t y = 0; y < height; y += EDGE)
        for (int64_t x = 0; x < width; x += EDGE)
            transpose_part(job, x, min(x + EDGE, width), y, min(y + EDGE, height));
    return NULL;
}

/* Finds each output's source by divisions, unlike the tested code, so that it does not repeat a
 * fault of that code. */
static void reference(const struct experiment_job *job)
{
    const float *in = job->in[0].memory;
    float *out = job->out.memory;

    for (int64_t i = 0; i < job->out.count; i++)
        out[i] = in[i % job->size.height * job->size.width + i / job->size.height];
}

static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double bytes = 8.0 * (double)(size->width * size->height);

    (void)row;
    *work = (struct experiment_work){.useful_bytes = bytes, .asked_bytes = bytes};
}

#define ROW(NAME, FORM, SHOWS)                                                                     \
    {                                                                                              \
        .group = "transpose-float", .row = NAME, .shows = SHOWS, .place = ON_CPU, .shape = shape,  \
        .run = run_##FORM, .reference = reference, .work = work                                    \
    }

DEFINE_EXPERIMENTS(transpose_float_cpu) = {
    ROW("CPU", plain,
        "Each store is to another line; of a matrix larger than the cache the lines are gone "
        "before "
        "their turn."),
    ROW("CPU, tiled", tiled,
        "In tiles of a line's width each line that is fetched is used up while the cache has it, "
        "which pays for matrices larger than the cache."),
    {0}};
