/* SPDX-License-Identifier: MIT */
/* Filters that the engines of images compute: their weights. */
#ifndef SMOOTHIMG_IMAGE_WEIGHTS_H
#define SMOOTHIMG_IMAGE_WEIGHTS_H

#include "src/lib/api/as_images.h"
#include "src/lib/filter/gauss.h"

/* Never changes. */
struct image_weights {
    struct smoothing smoothing;
    struct plane_filter plane; /* down the columns by the filter's first axis */
};

/* *made: the weights, which the caller frees; or NULL, and *obstacle says what the filter would
 * have to be for images, whatever the arrays. side: halo + 1 weights of each axis, in units of
 * 2^-46, with a halo of 0 where there is no second one; not looked at afterwards. */
enum status image_weights_make(const struct smoothing *smoothing,
                               const struct array_weight *const *side, struct image_weights **made,
                               const char **obstacle, struct error *error);

/* What is asked of images. turned: the filter's first axis is along the rows. */
struct request image_weights_request(const struct image_weights *weights, bool turned);

#endif
