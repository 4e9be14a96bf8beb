/* SPDX-License-Identifier: MIT */
/* Rows as a PNG file has them, before and after its filters. For codec_png_*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_ROW_H
#define SMOOTHIMG_CODEC_PNG_ROW_H

#include "image.h"

#include <stdbool.h>

/* How the rows of an image become those of a file. */
struct png_rows {
    int64_t samples;  /* in a row */
    int depth;        /* bits of a sample in the file: 1, 2, 4, 8 or 16 */
    bool stretched;   /* from 0..maxval to 0..2^depth-1 */
    uint32_t maxval;  /* of the image */
    size_t row_bytes; /* in the file, without the filter's own byte */
    size_t distance;  /* from a byte to that of the pixel before it which the filters look at */
};

/* For images like *about; scale: an odd maxval is stretched. */
struct png_rows png_rows_of(const struct image *about, bool scale);

/* Row y of *image as the file has it: `room` (row_bytes) is filled, or left alone where the image's
 * own row will do. */
const uint8_t *png_row_of(const struct png_rows *rows, const struct image *image, int64_t y,
                          uint8_t *room);

/* PNG's filters, by their numbers. */
enum png_filter { PNG_NONE, PNG_SUB, PNG_UP, PNG_AVERAGE, PNG_PAETH, PNG_FILTERS };

/* filtered[0] becomes the filter's number, filtered[1..row_bytes] the filtered row. above is the
 * row above it, zeros for the first. */
void png_filter_row(const struct png_rows *rows, enum png_filter filter, const uint8_t *row,
                    const uint8_t *above, uint8_t *filtered);

/* Bytes of all filtered rows of an image with so many bits a pixel: with the filters' numbers, in
 * the passes of Adam7 if it is interlaced. */
uint64_t png_filtered_bytes(int64_t width, int64_t height, int bits, bool interlaced);

/* The sum of the filtered bytes' absolute values, as signed numbers: what is small compresses well,
 * as a rule. */
uint64_t png_filtered_weight(const struct png_rows *rows, const uint8_t *filtered);

#endif
