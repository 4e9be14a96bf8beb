/* SPDX-License-Identifier: MIT */
/* The border of an image, filled by an edge rule. */
#ifndef SMOOTHIMG_HALO_H
#define SMOOTHIMG_HALO_H

#include "kernels/common/edge.h"
#include "src/lib/image/image.h"

/* Fills halo_x pixels, at most image->halo, of the left and right border of rows first..last-1 from
 * the pixels of each row. The rows may be in the border above or below the image. */
void halo_fill_ends(const struct image *image, enum edge edge, int64_t halo_x, int64_t first,
                    int64_t last);

/* Fills halo_x pixels of border on the left and right and halo_y above and below, corners included,
 * from the pixels; both are at most image->halo. */
void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y);

#endif
