/* SPDX-License-Identifier: MIT */
/* The samples of a PNG file as one zlib stream, in blocks that threads compress independently. */
#ifndef SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H
#define SMOOTHIMG_CODEC_PNG_DEFLATE_BLOCK_H

#include "src/files/codec/png/row.h"

/* Some rows, filtered and compressed: a part of the stream that ends on a byte boundary. */
struct deflate_block {
    uint8_t *bytes; /* owned; NULL: not compressed yet */
    size_t count;
    uint32_t adler;   /* Adler-32 of the filtered rows */
    size_t raw_bytes; /* bytes of the filtered rows */
};

/* Rows in a block, and context rows: the rows above a block that its filters and zlib's window
 * need.
 */
int64_t deflate_block_rows(const struct png_rows *rows);
int64_t deflate_block_context_rows(const struct png_rows *rows, int level);

/* Compresses rows from..from+count-1 of *image; the context_rows rows above them are readable (0
 * for the first block). last: this block ends the stream. The bytes depend on nothing else. The
 * caller frees block->bytes. False without memory. */
bool deflate_block_make(struct deflate_block *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count,
                        int64_t context_rows, bool last);

/* The two bytes of zlib's header, before the first block. */
void png_stream_head(int level, uint8_t head[2]);

#endif
