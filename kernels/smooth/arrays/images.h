/* SPDX-License-Identifier: MIT */
/* Images by the engine of arrays: as in struct engine. */
#ifndef SMOOTHIMG_ARRAYS_IMAGES_H
#define SMOOTHIMG_ARRAYS_IMAGES_H

#include "kernels/smooth/arrays/array.h"

/* What a plan knows. */
struct image_state {
    struct array_state arrays;
    struct array_weight weights[2][MAX_HALO + 1]; /* down the columns, and along the rows */
    struct array_taps taps[2];
    bool exceeds; /* weights sum to more than 1: results may be above maxval */
};

const char *arrays_of_images_make(const struct request *request, void *state);
size_t arrays_of_images_scratch_bytes(const struct request *request, const void *state);
const char *arrays_of_images_run(const struct piece *piece);

#endif
