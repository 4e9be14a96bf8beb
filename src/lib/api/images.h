/* SPDX-License-Identifier: MIT */
/* The images of a request in the caller's memory: a stack of request->images images of one shape;
 * src and dst describe the first. arrays_as_images() describes arrays as such images: it chooses
 * which axes are rows, pixels and channels, so that the engines (implementations) that are only for
 * images can compute the arrays without copies. */
#ifndef SMOOTHIMG_API_IMAGES_H
#define SMOOTHIMG_API_IMAGES_H

#include "kernels/variant.h"
#include "src/lib/api/dims.h"

/* Sets the number of images and the distance between them. If the images along outer->dim[0] lie
 * one after the other, in src and in dst, they become a stack, and that axis is removed from
 * *outer; else there is one image. The rest of the request is already set. */
void images_take_stack(struct dims *outer, struct request *request);

/* True if a row of src and a row of dst may share a byte. Call it only if the address ranges
 * overlap. Even then no rows share a byte if, for example, src and dst are the left and the right
 * half of one image. Returns true, without a closer look, if src and dst have different distances
 * between rows, or if the images of a stack are not whole numbers of these distances apart. */
bool images_overlap(const struct request *request);

/* Returns the request for rows first..last-1 of the first image. A transpose needs all rows. */
struct request request_rows(const struct request *all, int64_t first, int64_t last);

int64_t view_pixel_bytes(const struct view *view);

#define IMAGE_AXES 2 /* maximum number of axes that the filter of an image smooths */

/* Describes the job's arrays in *request, as images of one shape. Sets *outer to the axes along
 * which these images follow each other. The request describes the images at index 0 of each outer
 * axis. Returns NULL, or a phrase that says what the arrays would have to be to form images. The
 * job smooths up to two axes with one edge rule. `tables` are the weights of these axes: 2 halo + 1
 * for each, in units of 2^-46. The caller sets request->maxval. */
const char *arrays_as_images(const struct array_job *job, const uint64_t *const tables[IMAGE_AXES],
                             struct request *request, struct dims *outer);

#endif
