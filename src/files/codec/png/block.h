/* SPDX-License-Identifier: MIT */
/* The samples of a PNG file as one zlib stream, in blocks of rows that threads filter and compress
 * independently. */
#ifndef SMOOTHIMG_CODEC_PNG_BLOCK_H
#define SMOOTHIMG_CODEC_PNG_BLOCK_H

#include "src/files/codec/rows/turns.h"
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

#define CHECKSUM_BYTES 4

/* Rows in a block. */
int64_t png_block_rows(const struct png_rows *rows);

/* Filters and compresses rows from..from+count-1 of *image, to a part of the stream that ends on a
 * byte boundary. first: zlib's header precedes it; last: it ends the stream. After an only block
 * comes zlib's checksum; after others there is room for it. The bytes depend on nothing else. The
 * caller frees block->bytes. False without memory. */
bool png_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                    const struct image *image, int64_t from, int64_t count, bool first, bool last);

#endif
