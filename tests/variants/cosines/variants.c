/* SPDX-License-Identifier: MIT */
/* smooth_cpu's sums of cosines, compiled with short segments, and for poor series too. */
#include "kernels/smooth/cpu/cosines/plan.h"

size_t parts_scratch_bytes(const struct job *job);
const char *parts_run(const struct job *job);
const char *parts_refuses(const struct job *job);
bool parts_prepare(const struct job *job, struct cosines_plan *plan);

static const char *refuses(const struct job *job)
{
    return job->weighted || job->maxval == FLOAT_SAMPLES ? "alpha weighs, or samples are floats"
                                                         : parts_refuses(job);
}

static const char *prepare(const struct job *job, void *state)
{
    return parts_prepare(job, state) ? NULL : "the weights are no sum of cosines";
}

DEFINE_VARIANT(smooth_cosines_parts) = {
    .op = OP_SMOOTH,
    .name = "cosines_parts",
    .backend = ON_CPU,
    .description = "sums of cosines, in short segments, with poor series",
    .refuses = refuses,

    .prepare = prepare,
    .scratch_bytes = parts_scratch_bytes,
    .run = parts_run,
};
