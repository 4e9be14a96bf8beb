/* SPDX-License-Identifier: MIT */
/* The images of a call: one, or several of one shape, in the caller's memory. */
#ifndef SMOOTHIMG_API_IMAGES_H
#define SMOOTHIMG_API_IMAGES_H

#include "kernels/variant.h"
#include "src/lib/api/dims.h"
#include "src/lib/smoothimg.h"

/* The samples of a pixel lie side by side, and so do the pixels of a row. Nothing is left to a
 * default. */
struct images {
    void *data; /* first sample of pixel (0, 0) of the first image; aligned as its type */
    int64_t width, height; /* pixels, at least 1 */
    int64_t pitch;         /* bytes from a row to the next, at least the row's */
    int64_t count;
    int64_t stride;   /* bytes from an image to the next, at least an image's */
    int32_t channels; /* samples of a pixel, at least 1 */
    enum smoothimg_type type;
    enum smoothimg_memory memory;
    uint32_t maxval;      /* no sample is greater; of floats FLOAT_SAMPLES */
    struct beside beside; /* of a source: what each image is a part of has so much beside it */
};

/* Sets count and stride of both, which have all the rest: a stack along the innermost of the outer
 * axes, which leaves these, if none of its images reaches into the next; else one image. */
void images_take_stack(struct dims *outer, struct images *src, struct images *dst);

/* Do rows of both share a byte? */
bool images_overlap(const struct images *src, const struct images *dst);

/* The greatest sample of a type of images; of floats FLOAT_SAMPLES. */
uint32_t type_maxval(enum smoothimg_type type);

/* Rows first..last-1 of image number i. */
struct view image_view(const struct images *images, int64_t i, int64_t first, int64_t last);

#endif
