/* SPDX-License-Identifier: MIT */
/* A PNG's samples as one stream of zlib, made of pieces that several threads compress. For
 * codec_png_*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_PIECE_H
#define SMOOTHIMG_CODEC_PNG_PIECE_H

#include "codec_png_row.h"

/* Some rows, filtered and compressed: a part of the stream, cut at a whole byte. */
struct png_piece {
    uint8_t *bytes; /* owned; NULL: not there yet */
    size_t count;
    uint32_t adler; /* zlib's checksum of the filtered rows, and of how many bytes */
    size_t raw_bytes;
};

/* Rows in a piece, and how many rows above it a piece wants to see: for the filters, and for what
 * zlib may repeat from. */
int64_t png_piece_rows(const struct png_rows *rows);
int64_t png_piece_lead(const struct png_rows *rows, int level);

/* Compresses rows from..from+count-1 of *image; `lead` rows above them are there. first: they are
 * the stream's first; last: its last. The bytes depend on nothing else. False without memory. */
bool png_piece_make(struct png_piece *piece, const struct png_rows *rows, int level,
                    const struct image *image, int64_t from, int64_t count, int64_t lead,
                    bool last);

/* The two bytes before the stream. */
void png_stream_head(int level, uint8_t head[2]);

#endif
