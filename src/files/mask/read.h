/* SPDX-License-Identifier: MIT */
/* Reads a mask from an image file. */
#ifndef SMOOTHIMG_MASK_READ_H
#define SMOOTHIMG_MASK_READ_H

#include "src/files/codec/image_reader.h"

/* Bytes of memory that mask_read takes, of which mask_bytes are the mask's. */
int64_t mask_read_bytes(const struct image_reader *reader, const struct image *header);

/* Makes *mask, which is empty, of the image that image_reader_begin has found, some rows at a time
 * where its format allows. STATUS_UNSUPPORTED if it has several channels or floats, or is not the
 * only one of the file. The caller frees the mask, after a failure too. */
enum status mask_read(struct image_reader *reader, const struct image *header, struct mask *mask,
                      struct error *error);

#endif
