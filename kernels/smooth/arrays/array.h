/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays of any number of axes on the CPU. It also filters images, which
 * images.h describes as arrays. */
#ifndef SMOOTHIMG_ARRAYS_ARRAY_H
#define SMOOTHIMG_ARRAYS_ARRAY_H

#include "kernels/smooth/arrays/tiling.h"

/* The engine's state for one job. make() of struct engine makes it, once for a request. */
struct array_state {
    /* The scheme without its job, tables of taps and error bounds; array_state_run() makes the
     * whole scheme again. It is a member of the state because it is too large for a stack. */
    struct array_scheme scheme;
    struct array_tiling tiling;
    /* Bytes of scratch memory. shared: the memory that all threads use together; each: the memory
     * of one thread. */
    size_t shared, each;
    int threads;
};

/* cosines: for an image with large halos, sums of cosines that replace the taps (cosines.h);
 * otherwise NULL. *cosines must outlive the state. */
void array_state_make(const struct array_job *job, const struct array_cosines *cosines,
                      struct array_state *state);

/* A function for struct engine (variant.h). The state begins with a struct array_state. */
size_t array_scratch_bytes(const struct request *request, const void *state);

/* Computes a job like the one for which the state was made. Its arrays may be at other addresses,
 * and may be smaller. scratch: array_scratch_bytes() bytes. */
void array_state_run(const struct array_state *state, const struct array_job *job, void *scratch);

#endif
