/* SPDX-License-Identifier: MIT */
/* Converts the samples of a file to those of an image in memory, and back. The samples in memory
 * are in linear light if the image has a struct light; their last channel is the mask if the image
 * has a struct mask. The file has neither linear light nor the mask's channel. */
#ifndef SMOOTHIMG_SAMPLES_H
#define SMOOTHIMG_SAMPLES_H

#include "src/files/light/light.h"
#include "src/files/mask/mask.h"

/* Decodes rows to..to+count-1 of *image, whose member light or mask is set, in place: from the
 * file's samples, which image_file(image) describes. The first of these rows is row `first` of the
 * mask. has_alpha is true if the file's last channel is alpha. */
void samples_decode(const struct image *image, bool has_alpha, int64_t first, int64_t count,
                    int64_t to);

/* Encodes rows from..from+count-1 of *image to rows 0..count-1 of *file. */
void samples_encode(const struct image *image, bool has_alpha, int64_t from, int64_t count,
                    const struct image *file);

/* Returns how many rows of *image to encode at a time: about 256 KiB of them, which a cache holds,
 * rounded up to a multiple of block_rows. */
int64_t encoding_rows(const struct image *image, int64_t block_rows);

#endif
