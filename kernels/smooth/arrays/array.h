/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays of any number of axes on the CPU. It also filters images, which
 * images.h describes as arrays. */
#ifndef SMOOTHIMG_ARRAYS_ARRAY_H
#define SMOOTHIMG_ARRAYS_ARRAY_H

#include "kernels/smooth/arrays/tiling.h"

/* The engine's state for one job. make() of struct engine makes it, once for a request. */
struct array_state {
    struct array_job job; /* simplified by array_simplify(); its taps are in `taps` */
    struct array_taps taps[ARRAY_FILTERED * ARRAY_FILTERED];
    struct array_scheme scheme; /* without its tables of taps: array_state_run() makes them */
    struct array_tiling tiling;
    /* Bytes of scratch memory. shared: the memory that all threads use together; each: the memory
     * of one thread. */
    size_t shared, each;
};

/* cosines: for an image with large halos, sums of cosines that replace the taps (cosines.h);
 * otherwise NULL. *cosines must outlive the state. */
void array_state_make(const struct array_job *job, const struct array_cosines *cosines,
                      struct array_state *state);
size_t array_state_scratch_bytes(const struct array_state *state);

/* Computes a job that array_simplify() has simplified. The job may differ from state->job in the
 * addresses of its arrays, and these may be smaller. scratch: array_state_scratch_bytes() bytes. */
void array_state_run(const struct array_state *state, const struct array_job *job, void *scratch);

#endif
