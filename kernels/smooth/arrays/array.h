/* SPDX-License-Identifier: MIT */
/* The engine of arrays on the host: the implementation that filters arrays of any number of axes.
 * It also filters images, which images.h describes as arrays. */
#ifndef SMOOTHIMG_ARRAYS_ARRAY_H
#define SMOOTHIMG_ARRAYS_ARRAY_H

#include "kernels/smooth/arrays/tiling.h"

/* The state of a plan: an engine that is ready for one job. */
struct array_state {
    struct array_job job; /* as array_simplify() makes it; `taps` are its taps */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme; /* its tables of taps are not allocated */
    struct array_tiling tiling;
    size_t shared, each;
};

/* cosines: of an image with large halos, which must outlive the state (cosines.h); or NULL. */
void array_state_make(const struct array_job *job, const struct array_cosines *cosines,
                      struct array_state *state);
size_t array_state_scratch_bytes(const struct array_state *state);

/* Computes a job that array_simplify() has simplified. It may differ from state->job in the
 * addresses of the arrays, and by smaller lengths and extents. */
void array_state_run(const struct array_state *state, const struct array_job *job, void *scratch);

#endif
