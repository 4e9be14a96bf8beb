/* SPDX-License-Identifier: MIT */
/* Filters of arrays that the engines of images compute: their weights, and how they are run. */
#ifndef SMOOTHIMG_IMAGE_WEIGHTS_H
#define SMOOTHIMG_IMAGE_WEIGHTS_H

#include "src/lib/api/as_images.h"
#include "src/lib/api/context.h"
#include "src/lib/filter/gauss.h"

/* Never changes. */
struct image_weights {
    struct smoothing smoothing;
    uint64_t number; /* this one and the next are those of no other filter of the process */
    struct plane_filter plane; /* down the columns by the filter's first axis */
};

/* *made: the weights, which the caller frees; or NULL, and *obstacle says what the filter would
 * have to be for images, whatever the arrays. side: halo + 1 weights of each axis, in units of
 * 2^-46, with a halo of 0 where there is no second one; not looked at afterwards. */
enum status image_weights_make(const struct smoothing *smoothing,
                               const struct array_weight *const *side, struct image_weights **made,
                               const char **obstacle, struct error *error);

/* Smooths the images that the arrays are. STATUS_UNSUPPORTED if the chosen variant refuses. */
enum status images_run(struct smoothimg_context *context, const struct image_weights *weights,
                       const struct as_images *images, void *stream);

/* *bytes: of the host's memory that images_run takes to work in. */
enum status images_measure(struct smoothimg_context *context, const struct image_weights *weights,
                           const struct as_images *images, int64_t *bytes);

/* Allocates what images_run needs for images of such a shape (smoothimg_reserve). */
enum status images_reserve(struct smoothimg_context *context, const struct image_weights *weights,
                           const struct as_images *images);

#endif
