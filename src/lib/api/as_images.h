/* SPDX-License-Identifier: MIT */
/* Arrays as images: which of their axes are the rows, the pixels and the channels of images of one
 * shape, so that the engines of images compute them where they lie. */
#ifndef SMOOTHIMG_AS_IMAGES_H
#define SMOOTHIMG_AS_IMAGES_H

#include "src/lib/api/dims.h"

#define IMAGE_AXES 2 /* that an image's filter smooths */

/* One smooth of some axes of an array, as images ask for it: of one or two, by one edge rule. */
struct smoothing {
    int axes;             /* how many have a halo; what follows is of the first two */
    int axis[IMAGE_AXES]; /* of the array, ascending */
    int64_t halo[IMAGE_AXES];
    enum edge edge[IMAGE_AXES];
    const uint64_t *weights[IMAGE_AXES]; /* as a request has them */
    bool weighted; /* the array's last axis is a pixel's channels, and its last channel alpha */
    bool skip_nan;
};

/* Sets what the request has of images that the arrays of the job are: of one shape, at the first
 * place of *outer. Returns NULL, or what the arrays would have to be for it. The job's taps are not
 * looked at. maxval: 0: the type's. */
const char *arrays_as_images(const struct smoothing *smoothing, const struct array_job *job,
                             uint64_t maxval, struct request *request, struct dims *outer);

#endif
