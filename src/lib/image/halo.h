/* SPDX-License-Identifier: MIT */
/* The edge rules, which define the pixels outside an image. Only halo.c implements them. */
#ifndef SMOOTHIMG_HALO_H
#define SMOOTHIMG_HALO_H

#include "src/lib/image/image.h"

/* Outside | abcd | outside */
enum edge {
    EDGE_CLAMP,   /* aaa|abcd|ddd  the nearest pixel */
    EDGE_REFLECT, /* cba|abcd|dcb  a mirror on the edge: the last pixel is seen twice */
    EDGE_MIRROR,  /* dcb|abcd|cba  a mirror in the last pixel: it is seen once */
    EDGE_WRAP,    /* bcd|abcd|abc  the image repeats */
    EDGE_ZERO     /* 000|abcd|000 */
};

/* The pixel of a line, 0..length-1, that the rule copies to position i, which is any integer; -1:
 * the samples there are zero. The line may be shorter than the halo: the rule repeats. */
int64_t edge_index(enum edge edge, int64_t i, int64_t length);

/* Fills halo_x pixels, at most image->halo, of the left and right border of rows first..last-1 from
 * the pixels of each row. The rows may be in the border above or below the image. */
void halo_fill_ends(const struct image *image, enum edge edge, int64_t halo_x, int64_t first,
                    int64_t last);

/* Fills halo_x pixels of border on the left and right and halo_y above and below, corners included,
 * from the pixels; both are at most image->halo. */
void halo_fill(struct image *image, enum edge edge, int64_t halo_x, int64_t halo_y);

#endif
