/* SPDX-License-Identifier: MIT */
/* The border of an image, filled by an edge rule. */
#ifndef SMOOTHIMG_HALO_H
#define SMOOTHIMG_HALO_H

#include "kernels/common/edge.h"
#include "src/lib/image/image.h"

/* Fills halo_x pixels of border on the left and right and halo_y above and below, corners included,
 * from the pixels; both are at most image->halo. */
void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y);

#endif
