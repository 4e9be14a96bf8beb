/* SPDX-License-Identifier: MIT */
/* The images of a request, in the caller's memory: request->images of one shape, of which src and
 * dst are the first. */
#ifndef SMOOTHIMG_API_IMAGES_H
#define SMOOTHIMG_API_IMAGES_H

#include "kernels/variant.h"
#include "src/lib/api/dims.h"

/* Sets samples of 1, 2 or 4 bytes, which are floats. maxval: 0: the type's. */
void images_set_type(int32_t sample_bytes, uint32_t maxval, struct request *request);

/* Sets the number of images, and how far apart they are, of a request that has all the rest: a
 * stack along the innermost of the outer axes, which leaves these, if none of its images reaches
 * into the next; else one image. */
void images_take_stack(struct dims *outer, struct request *request);

/* Do rows of src and dst share a byte, which reach over the same memory? All of src are images.
 * Images that lie side by side in rows of one pitch do not. */
bool images_overlap(const struct request *request);

/* Rows first..last-1 of the first image, of a request that is no transpose unless these are all. */
struct request request_rows(const struct request *all, int64_t first, int64_t last);

static inline int64_t view_pixel_bytes(const struct view *view)
{
    return (int64_t)view->channels * view->sample_bytes;
}

#endif
