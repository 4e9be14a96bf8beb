/* SPDX-License-Identifier: MIT */
/* A variant (implementation of smoothing) that replaces weights by sums of cosines, as smooth_cpu
 * does for large halos, but with the limits of parts.h: short segments of rows, and cosines that
 * may fit the weights poorly. */
#include "kernels/smooth/floats/floats.h"
#include "tests/variants/cosines/parts.h"

static const char *make(const struct request *request, void *state)
{
    return cosines_state_make(request, &parts_limits, state) ? NULL
                                                             : "the weights are no sum of cosines";
}

static const struct engine engine = {.name = "cosines_parts",
                                     .refuses = refuses_all_but_integers,
                                     .make = make,
                                     .state_bytes = sizeof(struct cosines_state),
                                     .scratch_bytes = array_scratch_bytes,
                                     .run = arrays_of_images_run};

DEFINE_VARIANT(smooth_cosines_parts) = {
    .op = OP_SMOOTH,
    .name = "cosines_parts",
    .backend = ON_CPU,
    .description = "sums of cosines, in short segments, with poor series",
    .engines = &engine,
    .count = 1,
};
