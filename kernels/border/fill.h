/* SPDX-License-Identifier: MIT */
/* Fills the border of an image in a GPU's memory, in place. */
#ifndef SMOOTHIMG_FILL_H
#define SMOOTHIMG_FILL_H

#include "kernels/common/edge.h"
#include "kernels/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills the border of the image, for which the memory has room. Enqueues on the stream. Returns
 * NULL, or the failure in words. */
const char *border_fill(const struct view *image, const struct border *border, void *stream);

#ifdef __cplusplus
}
#endif

#endif
