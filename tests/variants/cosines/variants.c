/* SPDX-License-Identifier: MIT */
/* A variant with smooth_cpu's sums of cosines, compiled with short segments. It also accepts
 * cosines that fit the weights poorly. */
#include "kernels/smooth/cpu/cosines/plan.h"

size_t parts_scratch_bytes(const struct request *request, const void *state);
const char *parts_run(const struct piece *piece);
const char *parts_refuses(const struct request *request);
bool parts_prepare(const struct request *request, struct cosines_plan *plan);

static const char *refuses(const struct request *request)
{
    return request->weighted || request->maxval == FLOAT_SAMPLES
               ? "alpha weighs, or samples are floats"
               : parts_refuses(request);
}

static const char *make(const struct request *request, void *state)
{
    return parts_prepare(request, state) ? NULL : "the weights are no sum of cosines";
}

static const struct engine engine = {.name = "cosines_parts",
                                     .refuses = refuses,
                                     .make = make,
                                     .state_bytes = sizeof(struct cosines_plan),
                                     .scratch_bytes = parts_scratch_bytes,
                                     .run = parts_run};

DEFINE_VARIANT(smooth_cosines_parts) = {
    .op = OP_SMOOTH,
    .name = "cosines_parts",
    .backend = ON_CPU,
    .description = "sums of cosines, in short segments, with poor series",
    .engines = &engine,
    .count = 1,
};
