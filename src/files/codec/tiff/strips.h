/* SPDX-License-Identifier: MIT */
/* Strips without compression, which are read at their offsets: by any thread, in any order. */
#ifndef SMOOTHIMG_CODEC_TIFF_STRIPS_H
#define SMOOTHIMG_CODEC_TIFF_STRIPS_H

#include "src/files/codec/raw/raw.h"
#include "src/files/codec/tiff/tiff.h"

struct tiff_strips {
    struct raw_raster raster; /* of the image, if it were one strip at the offset of the first */
    int64_t *offsets;         /* owned: of all strips; NULL: they follow each other */
    int64_t rows;             /* of a strip */
};

/* Can the image be read so? */
bool tiff_strips_suit(const struct tiff_handle *handle, const struct tiff_kind *kind);

/* After tiff_parts_check. */
enum status tiff_strips_open(struct tiff_strips *strips, struct image_reader *reader,
                             const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error);
enum status tiff_strips_read(const struct tiff_strips *strips, int64_t first, int64_t count,
                             int64_t column, const struct image *image, int64_t to,
                             struct error *error);
void tiff_strips_close(struct tiff_strips *strips);

#endif
