/* SPDX-License-Identifier: MIT */
/* smooth_cpu's sums of cosines as variants of their own, for every job that they can do, also where
 * smooth_cpu has a faster path. */
#include "kernels/smooth/cpu/cosines/cosines.h"
#include "kernels/smooth/cpu/cosines/plan.h"

/* The same, compiled with short segments, and for poor series too. */
size_t parts_scratch_bytes(const struct job *job);
bool parts_run(const struct job *job);
bool parts_prepare(const struct job *job, struct cosines_plan *plan);

static const char *refusal(const struct job *job, bool suits)
{
    if (job->weighted)
        return "alpha weighs";
    if ((job->src.width + 2 * job->halo_x) * job->src.channels < STRIP)
        return "fewer columns than a strip has";
    return suits ? NULL : "the weights are no sum of cosines";
}

static const char *cosines_refuses(const struct job *job)
{
    struct cosines_plan plan;

    return refusal(job, cosines_prepare(job, &plan));
}

static const char *parts_refuses(const struct job *job)
{
    struct cosines_plan plan;

    return refusal(job, parts_prepare(job, &plan));
}

static const char *cosines_run(const struct job *job)
{
    return smooth_cosines_run(job) ? NULL : "refused";
}

static const char *run_parts(const struct job *job)
{
    return parts_run(job) ? NULL : "refused";
}

DEFINE_VARIANT(smooth_cosines) = {
    .op = OP_SMOOTH,
    .name = "cosines",
    .backend = ON_CPU,
    .description = "sums of cosines",
    .refuses = cosines_refuses,
    .scratch_bytes = smooth_cosines_scratch_bytes,
    .run = cosines_run,
};
DEFINE_VARIANT(smooth_cosines_parts) = {
    .op = OP_SMOOTH,
    .name = "cosines_parts",
    .backend = ON_CPU,
    .description = "sums of cosines, in short segments, with poor series",
    .refuses = parts_refuses,
    .scratch_bytes = parts_scratch_bytes,
    .run = run_parts,
};
