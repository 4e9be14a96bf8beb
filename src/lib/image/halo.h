/* SPDX-License-Identifier: MIT */
/* The edge rules: what lies outside an image. Nothing else knows them. */
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

/* Which pixel of a line, 0..length-1, the rule puts at position i, any integer; -1: none, the
 * sample is zero. Images smaller than the halo are legal: the rule repeats. */
int64_t edge_index(enum edge edge, int64_t i, int64_t length);

/* Fills the border at both ends of rows first..last-1, which may be rows of the border above and
 * below, from their own pixels. */
void halo_fill_ends(const struct image *image, enum edge edge, int64_t first, int64_t last);

/* Fills image->halo pixels of border on each side, corners included, from the pixels. */
void halo_fill(struct image *image, enum edge edge);

#endif
