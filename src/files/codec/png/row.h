/* SPDX-License-Identifier: MIT */
/* Rows of a PNG file, before and after its filters. */
#ifndef SMOOTHIMG_CODEC_PNG_ROW_H
#define SMOOTHIMG_CODEC_PNG_ROW_H

#include "src/files/image/image.h"

#include <stdbool.h>

/* How rows of an image become rows of the file. */
struct png_rows {
    int64_t samples;  /* in a row */
    int depth;        /* bits of a sample in the file: 1, 2, 4, 8 or 16 */
    bool scaled;      /* from 0..maxval to 0..2^depth-1 */
    bool filtered;    /* filters help: not with packed samples */
    uint32_t maxval;  /* of the image */
    size_t row_bytes; /* in the file, without the filter byte */
    size_t distance;  /* bytes of a pixel, at least 1: a filter subtracts the byte so far left */
};

/* For images with the shape of *header. scale: scales samples to the full range of the depth, if
 * the maxval is smaller. */
struct png_rows png_rows_of(const struct image *header, bool scale);

/* Row y of *image in the file's format, without filter byte. Returns `room`, which has row_bytes
 * bytes, or the image's own row if that has the format already. */
const uint8_t *png_row_of(const struct png_rows *rows, const struct image *image, int64_t y,
                          uint8_t *room);

/* PNG's filter types that are written. */
enum png_filter { PNG_NONE = 0, PNG_SUB = 1, PNG_PAETH = 4 };

/* Sets filtered[0] to the filter type and filtered[1..row_bytes] to the filtered row. above: the
 * row above, for PNG_PAETH. */
void png_filter_row(const struct png_rows *rows, enum png_filter filter, const uint8_t *row,
                    const uint8_t *above, uint8_t *filtered);

#endif
