/* SPDX-License-Identifier: MIT */
/* The samples of a PNG file as one zlib stream, in blocks that threads compress independently. */
#ifndef SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H
#define SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H

#include "src/files/codec/png/row.h"
#include "src/files/codec/rows/turns.h"

#define CHECKSUM_BYTES 4

/* Rows in a block. */
int64_t deflate_block_rows(const struct png_rows *rows);

/* Filters and compresses rows from..from+count-1 of *image, to a part of the stream that ends on a
 * byte boundary. first: zlib's header precedes it; last: it ends the stream. After an only block
 * comes zlib's checksum; after others there is room for it. The bytes depend on nothing else. The
 * caller frees block->bytes. False without memory. */
bool deflate_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count, bool first,
                        bool last);

#endif
