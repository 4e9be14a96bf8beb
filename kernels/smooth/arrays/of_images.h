/* SPDX-License-Identifier: MIT */
/* Computes images with the engine of arrays on the host. A piece is the part of a request that is
 * computed at a time (variant.h). */
#ifndef SMOOTHIMG_ARRAYS_OF_IMAGES_H
#define SMOOTHIMG_ARRAYS_OF_IMAGES_H

#include "kernels/smooth/arrays/array.h"
#include "kernels/smooth/arrays/images.h"

/* The state of a plan: an engine that is ready for one request. */
struct image_state {
    struct array_state arrays;
    struct image_weights weights;
};

/* Makes the state. cosines: sums of cosines that replace the passes of large halos (cosines.h), or
 * NULL if there are none. *cosines must outlive the state. */
void image_state_make(const struct request *request, const struct array_cosines *cosines,
                      struct image_state *state);

/* These three are members of a struct engine (variant.h). The state is a struct image_state. */
const char *arrays_of_images_make(const struct request *request, void *state);
size_t arrays_of_images_scratch_bytes(const struct request *request, const void *state);
const char *arrays_of_images_run(const struct piece *piece);

/* For engines of images that leave some samples of a piece to the engine of arrays, which computes
 * boxes (rectangles) around these, each on one thread. All boxes share this state. */
struct image_boxes {
    struct request request; /* of the largest box */
    struct image_state state;
};

/* Makes the state for boxes of at most `rows` rows and `pixels` pixels a row. */
void image_boxes_make(const struct request *request, int64_t rows, int64_t pixels,
                      struct image_boxes *boxes);
size_t image_boxes_scratch_bytes(const struct image_boxes *boxes);

/* Computes a box of the piece: `rows` rows from y on, and `pixels` columns from x on. */
void image_boxes_run(const struct image_boxes *boxes, const struct piece *piece, int64_t y,
                     int64_t rows, int64_t x, int64_t pixels, void *scratch);

#endif
