/* SPDX-License-Identifier: MIT */
/* The engine that filters arrays of any number of axes on the CPU. It also filters images, which
 * images.h describes as arrays. */
#ifndef SMOOTHIMG_ARRAYS_ARRAY_H
#define SMOOTHIMG_ARRAYS_ARRAY_H

#include "kernels/smooth/arrays/host/tiling.h"
#include "kernels/smooth/arrays/images.h"

/* The engine's state for one job. make() of struct engine makes it, once for a request. */
struct array_state {
    /* The scheme without its job, tables of taps and error bounds; a run makes the whole
     * scheme again. It is a member of the state because it is too large for a stack. */
    struct array_scheme scheme;
    struct array_tiling tiling;
    /* Bytes of scratch memory. shared: the memory that all threads use together; each: the memory
     * of one thread. */
    size_t shared, each;
    int threads;
};

/* The engine's state for one request of images, likewise. */
struct image_state {
    struct array_state arrays;
    struct image_weights weights;
};

/* Makes the state. cosines: for large halos, sums of cosines that replace the taps (cosines.h), or
 * NULL. *cosines must outlive the state. */
void image_state_make(const struct request *request, const struct array_cosines *cosines,
                      struct image_state *state);

/* Functions for struct engine (variant.h). The state begins with a struct array_state, for
 * arrays_of_images_run() with a struct image_state. */
size_t array_scratch_bytes(const struct request *request, const void *state);
const char *arrays_of_images_run(const struct piece *piece);

#endif
