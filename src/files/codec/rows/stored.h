/* SPDX-License-Identifier: MIT */
/* Pixels as a PNG file stores them, where reading would convert them: indices of a palette, grey of
 * 1, 2 or 4 bits, and samples of which one value is transparent. Operations that only move pixels
 * keep them, so that the result takes no more room than the input. */
#ifndef SMOOTHIMG_STORED_H
#define SMOOTHIMG_STORED_H

#include "src/lib/image/image.h"

#define STORED_MAX_COLOURS 256

/* How the samples of an image in memory become those that reading usually gives. */
struct stored_pixels {
    bool indexed;                            /* each sample is an index of the palette */
    int32_t channels;                        /* after conversion */
    uint32_t maxval;                         /* of the image in memory */
    uint32_t converted;                      /* maxval after conversion */
    uint8_t palette[3 * STORED_MAX_COLOURS]; /* the chunk PLTE; black beyond `colours` */
    int colours;
    uint8_t transparency[STORED_MAX_COLOURS]; /* the chunk tRNS */
    int transparency_bytes;
};

/* The shape of *header after conversion; its own if header->stored is NULL. */
struct shape stored_shape(const struct image *header);

#endif
