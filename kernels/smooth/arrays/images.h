/* SPDX-License-Identifier: MIT */
/* Describes images as jobs for the engines of arrays.
 *
 * A piece is the part of a request that is computed at a time (variant.h). */
#ifndef SMOOTHIMG_ARRAYS_IMAGES_H
#define SMOOTHIMG_ARRAYS_IMAGES_H

#include "kernels/common/arrays.h"
#include "kernels/variant.h"

/* The weights of a request of images. */
struct image_weights {
    struct array_weight weights[2][MAX_HALO + 1]; /* [0]: down the columns; [1]: along the rows */
    struct array_taps taps[2];
    bool exceeds; /* an axis' weights sum to more than 1: results may be above maxval */
};

#ifdef __cplusplus
extern "C" {
#endif

void image_weights_make(const struct request *request, struct image_weights *weights);

/* Returns the job that filters a piece: some images of the request that are computed at once, or a
 * part of one image. `weights` must outlive the job. */
struct array_job image_job(const struct piece *piece, const struct image_weights *weights);

/* Returns the job that takes the most memory: `images` images, with all samples beside them on
 * which the filter depends. The job has no addresses. */
struct array_job image_job_largest(const struct request *request, int64_t images,
                                   const struct image_weights *weights);

#ifdef __cplusplus
}
#endif
#endif
