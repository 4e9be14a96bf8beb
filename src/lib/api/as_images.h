/* SPDX-License-Identifier: MIT */
/* Arrays as images: which of their axes are the rows, the pixels and the channels of images of one
 * shape, so that the engines of images compute them where they lie. */
#ifndef SMOOTHIMG_AS_IMAGES_H
#define SMOOTHIMG_AS_IMAGES_H

#include "src/lib/api/dims.h"
#include "src/lib/api/images.h"

#define IMAGE_AXES 2 /* that an image's filter smooths */

/* One smooth of some axes of an array, as images ask for it: of one or two, by one edge rule. */
struct smoothing {
    int axes;             /* how many have a halo; what follows is of the first two */
    int axis[IMAGE_AXES]; /* of the array, ascending */
    int64_t halo[IMAGE_AXES];
    enum edge edge[IMAGE_AXES];
    bool weighted; /* the array's last axis is a pixel's channels, and its last channel alpha */
    bool skip_nan;
    bool outside; /* the constant outside is not 0 */
};

/* Images that arrays are, of one shape: src.count of them, at each place of the outer axes. */
struct as_images {
    struct images src, dst; /* complete, at the first place, and of one size */
    bool turned;            /* the filter's first axis is along the rows */
    struct dims outer;
};

/* Returns NULL, or what the arrays of the job would have to be for it. The job's taps are not
 * looked at. maxval: 0: the type's. memory: where both lie. */
const char *arrays_as_images(const struct smoothing *smoothing, const struct array_job *job,
                             uint64_t maxval, enum smoothimg_memory memory,
                             struct as_images *images);

#endif
