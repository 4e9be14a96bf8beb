/* SPDX-License-Identifier: MIT */
/* Experiments (functions that a benchmark measures, see kernels/memory): "right" and "near" are
 * correct, "unwilling" refuses every size, and each other one is wrong in one way. A test checks
 * that the benchmark of memory (suite "memory") measures only the correct ones. */
#include "kernels/memory/experiment.h"

#include <math.h>

static void shape_exact(const struct experiment *row, const struct problem_size *size,
                        struct array_specs *shape)
{
    const int64_t count = size->width * size->height;

    (void)row;
    *shape =
        (struct array_specs){.in = {{.type = ELEMENT_I32, .count = count, .low = -9, .high = 9}},
                             .out = {.type = ELEMENT_I32, .count = count}};
}

static void shape_bound(const struct experiment *row, const struct problem_size *size,
                        struct array_specs *shape)
{
    shape_exact(row, size, shape);
    shape->out.type = ELEMENT_F32;
}

static void negate(const struct experiment_job *job, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)job->out.memory)[i] = -((const int32_t *)job->in[0].memory)[i];
}

static const char *run_right(const struct experiment_job *job)
{
    negate(job, job->out.count);
    return NULL;
}

static const char *run_short(const struct experiment_job *job)
{
    negate(job, job->out.count - 1);
    return NULL;
}

static const char *run_failing(const struct experiment_job *job)
{
    (void)job;
    return "it fails by design";
}

static void reference_exact(const struct experiment_job *job)
{
    negate(job, job->out.count);
}

static void reference_bound(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        ((double *)job->out.memory)[i] = ((const int32_t *)job->in[0].memory)[i];
}

static const char *run_inexact(const struct experiment_job *job)
{
    for (int64_t i = 0; i < job->out.count; i++)
        ((float *)job->out.memory)[i] =
            (float)((const int32_t *)job->in[0].memory)[i] + 1e-3F * (float)job->row->parameter;
    return NULL;
}

static const char *run_nan(const struct experiment_job *job)
{
    run_inexact(job);
    ((float *)job->out.memory)[job->out.count - 1] = NAN;
    return NULL;
}

static double bound(const struct experiment_job *job)
{
    (void)job;
    return 1.5e-3;
}

static const char *refuses(const struct experiment *row, const struct problem_size *size)
{
    (void)row, (void)size;
    return "it does not feel like it";
}

static void work(const struct experiment *row, const struct problem_size *size,
                 struct experiment_work *work)
{
    const double bytes = 8 * (double)size->width * (double)size->height;

    (void)row;
    *work = (struct experiment_work){
        .useful_bytes = bytes, .asked_bytes = 2 * bytes, .flops = bytes / 8};
}

#define EXACT(ROW, RUN)                                                                            \
    .group = "exact", .row = ROW, .shows = "A test.", .place = ON_CPU, .shape = shape_exact,       \
    .run = RUN, .reference = reference_exact, .work = work
#define BOUND(ROW, RUN, PARAMETER)                                                                 \
    .group = "bound", .row = ROW, .shows = "A test.", .parameter = PARAMETER, .place = ON_CPU,     \
    .shape = shape_bound, .run = RUN, .reference = reference_bound, .bound = bound, .work = work

DEFINE_EXPERIMENTS(broken) = {
    {EXACT("right", run_right)},         {EXACT("short", run_short)},
    {EXACT("failing", run_failing)},     {EXACT("unwilling", run_right), .refuses = refuses},
    {BOUND("near", run_inexact, 1)},     {BOUND("far", run_inexact, 2)},
    {BOUND("not a number", run_nan, 0)}, {.group = NULL},
};
