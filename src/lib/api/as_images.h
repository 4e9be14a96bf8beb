/* SPDX-License-Identifier: MIT */
/* Arrays as images: which of their axes are the rows, the pixels and the channels of images of one
 * shape, so that the engines of images compute them where they lie. */
#ifndef SMOOTHIMG_AS_IMAGES_H
#define SMOOTHIMG_AS_IMAGES_H

#include "src/lib/api/dims.h"

#define IMAGE_AXES 2 /* that an image's filter smooths */

/* Sets what the request has of images that the arrays of the job are: of one shape, at the first
 * place of *outer. Returns NULL, or what the arrays would have to be for it. The job smooths up to
 * two axes, by one edge rule. tables: their weights, as a request has them. maxval: 0: the type's.
 */
const char *arrays_as_images(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                             uint64_t maxval, struct request *request, struct dims *outer);

#endif
