/* SPDX-License-Identifier: MIT */
/* Converts the samples of a file to those of an image in memory, in linear light and with a mask's
 * channel, and back. */
#ifndef SMOOTHIMG_SAMPLES_H
#define SMOOTHIMG_SAMPLES_H

#include "src/files/light/light.h"
#include "src/files/mask/mask.h"

/* Returns the image that a file has for *image, without its light and its mask. If there are
 * samples in memory, those of the file are at the ends of the rows, in the same memory. */
struct image image_file(const struct image *image);

/* Decodes the samples of rows to..to+count-1 of *image, which has light or a mask, from those of
 * image_file(image). `first` is the mask's row for the first of them. has_alpha: the file's last
 * channel is alpha. */
void samples_decode(const struct image *image, bool has_alpha, int64_t first, int64_t count,
                    int64_t to);

/* Encodes rows from..from+count-1 of *image to *file, from its row 0 on. */
void samples_encode(const struct image *image, bool has_alpha, int64_t from, int64_t count,
                    const struct image *file);

/* Returns how many rows of *image are best encoded at a time: as many as fit in a cache, in whole
 * blocks. */
int64_t encoding_rows(const struct image *image, int64_t block_rows);

/* Returns the bytes for encoding so many rows of an image like *header; 0 without light and mask.
 */
int64_t encoding_bytes(const struct image *header, int64_t rows);

#endif
