/* SPDX-License-Identifier: MIT */
/* The samples of a PNG file as one zlib stream, in blocks that threads compress independently. */
#ifndef SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H
#define SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H

#include "src/files/codec/png/row.h"
#include "src/files/codec/rows/turns.h"

/* Rows in a block, and context rows: the rows above a block that its filters and zlib's window
 * need.
 */
int64_t deflate_block_rows(const struct png_rows *rows);
int64_t deflate_block_context_rows(const struct png_rows *rows, int level);

/* Filters and compresses rows from..from+count-1 of *image, to a part of the stream that ends on a
 * byte boundary; the context_rows rows above them are readable (0
 * for the first block). last: this block ends the stream. The bytes depend on nothing else. The
 * caller frees block->bytes. False without memory. */
bool deflate_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count,
                        int64_t context_rows, bool last);

/* The two bytes of zlib's header, before the first block. */
void png_stream_head(int level, uint8_t head[2]);

#endif
