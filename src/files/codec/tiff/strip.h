/* SPDX-License-Identifier: MIT */
/* A strip of an output, compressed: what any thread can make of some rows. */
#ifndef SMOOTHIMG_CODEC_TIFF_STRIP_H
#define SMOOTHIMG_CODEC_TIFF_STRIP_H

#include "src/lib/image/image.h"

#define TIFF_DEFLATE_LEVEL 6 /* zlib's and libtiff's default */

/* Deflates rows from..from+count-1, little-endian, after TIFF's predictor: each sample as its
 * difference from the same channel to the left; of floats the bytes, sorted. *bytes: allocated,
 * *used of them. False without memory. */
bool tiff_strip_make(const struct image *image, int64_t from, int64_t count, uint8_t **bytes,
                     size_t *used);

/* The predictor of such samples: libtiff's number. */
int tiff_strip_predictor(uint32_t maxval);

#endif
