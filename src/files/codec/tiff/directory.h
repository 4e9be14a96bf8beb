/* SPDX-License-Identifier: MIT */
/* The directory of an image that is written. */
#ifndef SMOOTHIMG_CODEC_TIFF_DIRECTORY_H
#define SMOOTHIMG_CODEC_TIFF_DIRECTORY_H

#include "src/files/codec/tiff/tiff.h"

/* Rows of a strip. */
int64_t tiff_strip_rows(const struct image *header);

/* Sets all tags but the strips'. */
enum status tiff_directory_begin(struct tiff_handle *handle, const struct image *header,
                                 bool compressed, struct error *error);

/* Keeps room for the directory before the samples, at an even offset. If it followed them, or there
 * were much room between, tifffile would take the directory after two images of ImageJ for a sign
 * that they lie together. */
void tiff_directory_keep_room(struct tiff_handle *handle, const struct image *header);

#endif
