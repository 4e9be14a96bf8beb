/* SPDX-License-Identifier: MIT */
/* Describes arrays as images of one shape: chooses which axes are rows, pixels and channels. The
 * engines of images can then compute the arrays without copies. */
#ifndef SMOOTHIMG_AS_IMAGES_H
#define SMOOTHIMG_AS_IMAGES_H

#include "src/lib/api/dims.h"

#define IMAGE_AXES 2 /* maximum number of axes that the filter of an image smooths */

/* Describes the job's arrays in *request, as images of one shape. Sets *outer to the axes along
 * which these images follow each other. The request describes the images at index 0 of each outer
 * axis. Returns NULL, or a phrase that says what the arrays would have to be to form images. The
 * job smooths up to two axes with one edge rule. `tables` are the weights of these axes: 2 halo + 1
 * for each, in units of 2^-46. A maxval of 0 stands for the type's maximum. */
const char *arrays_as_images(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                             uint64_t maxval, struct request *request, struct dims *outer);

#endif
