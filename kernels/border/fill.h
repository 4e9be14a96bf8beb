/* SPDX-License-Identifier: MIT */
/* Fills the border of an image in a GPU's memory, in place. */
#ifndef SMOOTHIMG_FILL_H
#define SMOOTHIMG_FILL_H

#include "kernels/common/edge.h"
#include "kernels/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills halo_x pixels of border on the left and right of the image and halo_y above and below,
 * corners included, for which the memory has room. Enqueues on the stream. Returns NULL, or the
 * failure in words. */
const char *border_fill(const struct view *image, int64_t halo_x, int64_t halo_y, enum edge edge,
                        void *stream);

#ifdef __cplusplus
}
#endif

#endif
