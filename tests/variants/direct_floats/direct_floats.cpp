// SPDX-License-Identifier: MIT
// The direct sum of smooth_fused's floats as a variant of its own, for every halo: smooth_fused
// takes it beyond 64, where few windows could be tried.
#include "kernels/smooth/floats/floats.h"
#include "kernels/smooth/fused/floats/direct.cuh"

static const char *refuses(const struct job *job)
{
    return job->maxval == FLOAT_SAMPLES ? refuses_weighted_floats(job) : "it computes floats";
}

DEFINE_VARIANT(smooth_direct_floats) = {
    .op = OP_SMOOTH,
    .name = "direct_floats",
    .backend = ON_GPU,
    .reference = false,
    .description = "the direct sum of floats",
    .layers_pay = NULL,
    .refuses = refuses,
    .scratch_bytes = NULL,
    .run = launch_float_direct,
    .src_phase = NULL,
    .takes_stack = NULL,
};
