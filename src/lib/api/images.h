/* SPDX-License-Identifier: MIT */
/* The images of a request in the caller's memory: a stack of request->images images of one shape;
 * src and dst describe the first. */
#ifndef SMOOTHIMG_API_IMAGES_H
#define SMOOTHIMG_API_IMAGES_H

#include "kernels/variant.h"
#include "src/lib/api/dims.h"

/* Sets the type: samples of 1 and 2 bytes are integers, samples of 4 bytes are floats. A maxval of
 * 0 stands for the type's maximum. */
void images_set_type(int32_t sample_bytes, uint32_t maxval, struct request *request);

/* Sets the number of images and the distance between them. If the images along outer->dim[0] do not
 * overlap, they become a stack, and that axis is removed from *outer; else there is one image. The
 * rest of the request is already set. */
void images_take_stack(struct dims *outer, struct request *request);

/* True if a row of src and a row of dst share a byte. Call it only if the address ranges overlap.
 * Even then no rows share a byte if, for example, src and dst are the left and the right half of
 * one image. */
bool images_overlap(const struct request *request);

/* Returns the request for rows first..last-1 of the first image. A transpose needs all rows. */
struct request request_rows(const struct request *all, int64_t first, int64_t last);

int64_t view_pixel_bytes(const struct view *view);

#endif
