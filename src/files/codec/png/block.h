/* SPDX-License-Identifier: MIT */
/* Makes the zlib stream of a PNG file's samples, in blocks of rows that threads filter and compress
 * independently. */
#ifndef SMOOTHIMG_CODEC_PNG_BLOCK_H
#define SMOOTHIMG_CODEC_PNG_BLOCK_H

#include "src/files/codec/rows/turns.h"
#include "src/files/image/image.h"

#include <stdbool.h>

/* How rows of the image become rows of the file. */
struct png_rows {
    int64_t samples;  /* samples in a row */
    int depth;        /* bits of a sample in the file: 1, 2, 4, 8 or 16 */
    bool scaled;      /* samples are scaled from 0..maxval to 0..2^depth-1 */
    bool filtered;    /* false for packed samples, which filters do not help */
    uint32_t maxval;  /* of the image */
    size_t row_bytes; /* in the file, without the filter byte */
    /* Bytes of a pixel, at least 1: a filter subtracts the byte this far to the left. */
    size_t distance;
};

/* Returns the conversion for images with the shape of *header. If `scale` is true, samples are
 * scaled to the full range of the depth. */
struct png_rows png_rows_of(const struct image *header, bool scale);

#define CHECKSUM_BYTES 4

/* Returns the number of rows in a block. */
int64_t png_block_rows(const struct png_rows *rows);

/* Filters and compresses rows from..from+count-1 of *image to a part of the stream that ends on a
 * byte boundary. The `first` block begins with zlib's header; the `last` block ends the stream. A
 * block that is both contains zlib's checksum. Any other block has CHECKSUM_BYTES of free space
 * after its bytes, where the caller puts the checksum if the block is the last. The bytes depend
 * only on the arguments. The caller frees block->bytes. Returns false if memory runs out. */
bool png_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                    const struct image *image, int64_t from, int64_t count, bool first, bool last);

#endif
