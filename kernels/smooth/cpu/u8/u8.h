/* SPDX-License-Identifier: MIT */
/* Computes 8-bit samples with the estimate, the test and the repair that u8/weights.h describes and
 * proves. */
#ifndef SMOOTHIMG_SMOOTH_U8_H
#define SMOOTHIMG_SMOOTH_U8_H

#include "kernels/smooth/arrays/images.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/variant.h"

struct smooth_u8_plan {
    struct smooth_u8_weights weights;
    /* For rectangles (boxes) that the engine of arrays computes, each on one thread: the request of
     * the largest one, and the state, which all share. */
    struct request box;
    struct image_state arrays;
};

/* These are members of a struct engine (variant.h). The state is a smooth_u8_plan. */
const char *smooth_u8_make(const struct request *request, void *state);
size_t smooth_u8_scratch_bytes(const struct request *request, const void *state);
const char *smooth_u8_run(const struct piece *piece);

#endif
