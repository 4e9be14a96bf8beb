/* SPDX-License-Identifier: MIT */
/* Blocks know nothing of each other: in each, zlib's window is empty at first, and the filter of
 * the first row needs no row above. They do not depend on the threads: the file is the same with
 * any number of threads. */
#include "src/files/codec/png/deflate_block.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_BYTES (1 << 17) /* of filtered rows: small, so that small images have several */
#define WINDOW_BITS 15
#define MEMORY_LEVEL 8 /* zlib's default */
#define PART_BYTES (1u << 30)

int64_t deflate_block_rows(const struct png_rows *rows)
{
    return BLOCK_BYTES / (int64_t)(rows->row_bytes + 1) + 1;
}

/* The rows of a block, filtered. Level 0 (stored) gains nothing from a filter. A choice among all
 * filters for each row would save 3 % of a photograph, and nothing of a smoothed one. False without
 * memory. */
static bool filter_rows(const struct png_rows *rows, int level, const struct image *image,
                        int64_t from, int64_t count, uint8_t *filtered)
{
    const size_t line = rows->row_bytes;
    const bool plain = level == 0 || !rows->filtered;
    uint8_t *memory = malloc(2 * line); /* rows of the file, in turn */
    const uint8_t *above = NULL;

    for (int64_t y = 0; y < count && memory; y++, filtered += line + 1) {
        const uint8_t *row = png_row_of(rows, image, from + y, memory + (y & 1 ? line : 0));

        png_filter_row(rows, plain ? PNG_NONE : above ? PNG_PAETH : PNG_SUB, row, above, filtered);
        above = row;
    }
    free(memory);
    return memory != NULL;
}

/* After the Paeth filter a smoothed image has hardly any matches but runs: at level 1 zlib searches
 * only for those, which gives the size of its level 6 in less time than its level 1 takes. */
static bool open_zlib(z_stream *stream, const struct png_rows *rows, int level, bool first)
{
    const int strategy = !rows->filtered || level == 0 ? Z_DEFAULT_STRATEGY
                         : level == 1                  ? Z_RLE
                                                       : Z_FILTERED;

    return deflateInit2(stream, level, Z_DEFLATED, first ? WINDOW_BITS : -WINDOW_BITS, MEMORY_LEVEL,
                        strategy) == Z_OK;
}

/* zlib counts in 32 bits: at most this much in one call. */
static uInt part_of(size_t bytes)
{
    return bytes < PART_BYTES ? (uInt)bytes : PART_BYTES;
}

/* Deflates the bytes to out, of `room`. Returns the bytes that it wrote. */
static size_t deflate_bytes(z_stream *stream, const uint8_t *bytes, size_t count, bool last,
                            uint8_t *out, size_t room)
{
    size_t done = 0, written = 0;

    do {
        const uInt given = part_of(count - done), space = part_of(room - written);

        stream->next_in = (uint8_t *)bytes + done; /* zlib only reads it */
        stream->avail_in = given;
        stream->next_out = out + written;
        stream->avail_out = space;
        deflate(stream, given < count - done ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH);
        done += given - stream->avail_in;
        written += space - stream->avail_out;
    } while (done < count || stream->avail_out == 0);
    deflateEnd(stream);
    return written;
}

bool deflate_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count, bool first,
                        bool last)
{
    const size_t raw_bytes = (size_t)count * (rows->row_bytes + 1);
    const size_t room = raw_bytes + (raw_bytes >> 3) + 4096; /* more than zlib's bound */
    uint8_t *filtered = malloc(raw_bytes), *out = malloc(room), *fitting;
    z_stream stream = {.zalloc = Z_NULL};

    *block = (struct turn_part){.raw_bytes = raw_bytes};
    if (filtered && out && filter_rows(rows, level, image, from, count, filtered) &&
        open_zlib(&stream, rows, level, first)) {
        block->adler = (uint32_t)adler32_z(1, filtered, raw_bytes);
        block->count = deflate_bytes(&stream, filtered, raw_bytes, last, out, room);
    }
    free(filtered);
    if (block->count == 0) {
        free(out);
        return false;
    }
    fitting = realloc(out, block->count + CHECKSUM_BYTES); /* it may wait for its turn */
    block->bytes = fitting ? fitting : out;
    return true;
}
