/* SPDX-License-Identifier: MIT */
/* The engine of arrays on the host, for plans of arrays and of images. */
#ifndef SMOOTHIMG_ARRAYS_ARRAY_H
#define SMOOTHIMG_ARRAYS_ARRAY_H

#include "kernels/smooth/arrays/tiling.h"

/* The plan's state: the bytes of a piece's scratch that its threads share, which hold the scheme
 * with its tables of taps, and those for each thread. */
struct array_state {
    struct array_job job; /* simple; its taps: */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme; /* without tables */
    struct array_tiling tiling;
    size_t shared, each;
};

void array_state_make(const struct array_job *job, struct array_state *state);
size_t array_state_scratch_bytes(const struct array_state *state);

/* Computes a simplified job. It is the state's job, except that the arrays may be elsewhere, and
 * lengths and extents may be smaller. */
void array_state_run(const struct array_state *state, const struct array_job *job, void *scratch);

#endif
