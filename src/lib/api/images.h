/* SPDX-License-Identifier: MIT */
/* The images of a call, checked, and with nothing left to a default. */
#ifndef SMOOTHIMG_API_IMAGES_H
#define SMOOTHIMG_API_IMAGES_H

#include "kernels/variant.h"
#include "src/lib/base/error.h"
#include "src/lib/smoothimg.h"

/* Sets *full to the image with its pitch, count, stride and maxval. `name` is for messages. Without
 * data (reserve) the pointer is not looked at. STATUS_INVALID, with what is wrong. */
enum status complete_image(const char *name, const struct smoothimg_image *image, bool with_data,
                           struct smoothimg_image *full, struct error *error);

/* Completes both images of an operation in place. STATUS_INVALID if one is wrong, if they do not
 * fit together, or if they overlap. */
enum status complete_pair(enum op op, struct smoothimg_image *src, struct smoothimg_image *dst,
                          struct error *error);

/* The greatest sample of the type; of floats FLOAT_SAMPLES. */
uint32_t type_maxval(enum smoothimg_type type);

/* Rows first..last-1 of image number i. */
struct view image_view(const struct smoothimg_image *image, int64_t i, int64_t first, int64_t last);

#endif
