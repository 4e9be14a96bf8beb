/* SPDX-License-Identifier: MIT */
/* Computes images with the engine of arrays on the host. */
#ifndef SMOOTHIMG_ARRAYS_OF_IMAGES_H
#define SMOOTHIMG_ARRAYS_OF_IMAGES_H

#include "kernels/smooth/arrays/array.h"
#include "kernels/smooth/arrays/images.h"

/* The plan's state. The functions are as in struct engine. */
struct image_state {
    struct array_state arrays;
    struct image_weights weights;
};

const char *arrays_of_images_make(const struct request *request, void *state);
size_t arrays_of_images_scratch_bytes(const struct request *request, const void *state);
const char *arrays_of_images_run(const struct piece *piece);

/* Boxes of a piece, each computed by one thread, for engines of images that leave some samples to
 * this one. The state for their plan. */
struct image_boxes {
    struct request request; /* of the largest box */
    struct image_state state;
};

/* Makes plans for boxes of at most `rows` rows and `pixels` pixels. */
void image_boxes_make(const struct request *request, int64_t rows, int64_t pixels,
                      struct image_boxes *boxes);
size_t image_boxes_scratch_bytes(const struct image_boxes *boxes);

/* Computes `rows` rows from y on, and in them `pixels` pixels from x on. */
void image_boxes_run(const struct image_boxes *boxes, const struct piece *piece, int64_t y,
                     int64_t rows, int64_t x, int64_t pixels, void *scratch);

#endif
