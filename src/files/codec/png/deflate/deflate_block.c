/* SPDX-License-Identifier: MIT */
/* Each block begins in the state in which the block above it would end: zlib's window holds the
 * rows above, and the filters see the row above. So dividing the image costs almost no bytes.
 * Blocks do not depend on the threads: the file is the same with any number of threads. */
#include "src/files/codec/png/deflate/deflate_block.h"
#include "src/files/codec/png/deflate/runs.h"
#include "kernels/common/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK_BYTES (1 << 17)  /* of filtered rows: small, so that small images have several */
#define WINDOW_BYTES (1 << 15) /* deflate's: the reach of its matches */
#define WINDOW_BITS 15
#define MEMORY_LEVEL 8     /* zlib's default */
#define UNFILTERED_LEVEL 6 /* zlib's for samples that level 1's coder does not suit */
#define PART_BYTES (1u << 30)

/* Filters rows of the file one after the other. */
struct filtering {
    const struct png_rows *rows;
    const struct image *image;
    int level;
    uint8_t *memory;      /* owned: all of the following */
    uint8_t *lines[2];    /* the current row in the file's format, and the row above */
    uint8_t *trial;       /* a filtered row */
    const uint8_t *above; /* the row above the next one */
    int turn;             /* which of `lines` holds the current row */
};

int64_t deflate_block_rows(const struct png_rows *rows)
{
    return BLOCK_BYTES / (int64_t)(rows->row_bytes + 1) + 1;
}

/* Level 1 searches only for runs, except in indices and packed samples: they are not filtered. */
static bool only_runs(const struct png_rows *rows, int level)
{
    return level == 1 && rows->filtered;
}

static int64_t window_rows(const struct png_rows *rows, int level)
{
    if (level == 0 || only_runs(rows, level))
        return 0;
    return (WINDOW_BYTES - 1) / (int64_t)(rows->row_bytes + 1) + 1;
}

int64_t deflate_block_context_rows(const struct png_rows *rows, int level)
{
    return window_rows(rows, level) + 1;
}

void png_stream_head(int level, uint8_t head[2])
{
    const int kind = level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3;
    const int word = (WINDOW_BITS - 8) << 12 | Z_DEFLATED << 8 | kind << 6;

    head[0] = (uint8_t)(word >> 8);
    head[1] = (uint8_t)((word & 0xff) + 31 - word % 31);
}

static bool open_filtering(struct filtering *filtering)
{
    const size_t line = filtering->rows->row_bytes;

    filtering->memory = calloc(1, 4 * line + 1);
    if (!filtering->memory)
        return false;
    filtering->lines[0] = filtering->memory;
    filtering->lines[1] = filtering->lines[0] + line;
    filtering->above = filtering->lines[1] + line; /* stays zero: the row above the first */
    filtering->trial = filtering->lines[1] + 2 * line;
    return true;
}

static const uint8_t *next_line(struct filtering *filtering, int64_t y)
{
    filtering->turn = !filtering->turn;
    return png_row_of(filtering->rows, filtering->image, y, filtering->lines[filtering->turn]);
}

/* By the filter that gives the smallest png_filtered_weight. */
static void filter_best(struct filtering *filtering, const uint8_t *row, uint8_t *filtered)
{
    uint64_t smallest = UINT64_MAX;

    for (int filter = PNG_NONE; filter < PNG_FILTERS; filter++) {
        uint64_t weight;

        png_filter_row(filtering->rows, (enum png_filter)filter, row, filtering->above,
                       filtering->trial);
        weight = png_filtered_weight(filtering->rows, filtering->trial);
        if (weight < smallest) {
            smallest = weight;
            memcpy(filtered, filtering->trial, filtering->rows->row_bytes + 1);
        }
    }
}

/* The next row, filtered: row_bytes + 1 bytes. Level 0 (stored) gains nothing from a filter. */
static void filter_next(struct filtering *filtering, int64_t y, uint8_t *filtered)
{
    const bool runs = only_runs(filtering->rows, filtering->level);
    const uint8_t *row = next_line(filtering, y);

    if (filtering->level > 1 && filtering->rows->filtered)
        filter_best(filtering, row, filtered);
    else
        png_filter_row(filtering->rows, runs ? PNG_PAETH : PNG_NONE, row, filtering->above,
                       filtered);
    filtering->above = row;
}

/* Rows first..last-1; context: there is a row above the first. False without memory. */
static bool filter_rows(const struct png_rows *rows, int level, const struct image *image,
                        int64_t first, int64_t last, bool context, uint8_t *filtered)
{
    struct filtering filtering = {.rows = rows, .image = image, .level = level};

    if (!open_filtering(&filtering))
        return false;
    if (context)
        filtering.above = next_line(&filtering, first - 1);
    for (int64_t y = first; y < last; y++)
        filter_next(&filtering, y, filtered + (size_t)(y - first) * (rows->row_bytes + 1));
    free(filtering.memory);
    return true;
}

/* zlib counts in 32 bits: at most this much in one call. */
static uInt part_of(size_t bytes)
{
    return bytes < PART_BYTES ? (uInt)bytes : PART_BYTES;
}

static bool open_zlib(z_stream *stream, const struct png_rows *rows, int level)
{
    const int own = level == 1 && !rows->filtered ? UNFILTERED_LEVEL : level;
    const int strategy = level > 0 && rows->filtered ? Z_FILTERED : Z_DEFAULT_STRATEGY;

    return deflateInit2(stream, own, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, strategy) == Z_OK;
}

/* Deflates the bytes to out, of RUNS_ROOM(count), which suffices for zlib too; before them there
 * are `context` for its window. Returns the bytes that it wrote; 0 without memory. */
static size_t deflate_zlib(z_stream *stream, const uint8_t *bytes, size_t count, size_t context,
                           bool last, uint8_t *out)
{
    const size_t room = RUNS_ROOM(count), window = context < WINDOW_BYTES ? context : WINDOW_BYTES;
    size_t done = 0, written = 0;

    if (window > 0)
        deflateSetDictionary(stream, bytes - window, (uInt)window);
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

/* Level 1 is not zlib's. After the Paeth filter a smoothed image has hardly any matches but runs:
 * searching only for those gives the size of zlib's level 6 in half of the time of its level 1. */
static size_t deflate_rows(const struct png_rows *rows, int level, const uint8_t *bytes,
                           size_t count, size_t context, bool last, uint8_t *out)
{
    z_stream stream = {.zalloc = Z_NULL};

    if (only_runs(rows, level))
        return runs_deflate(bytes, count, last, out);
    return open_zlib(&stream, rows, level) ? deflate_zlib(&stream, bytes, count, context, last, out)
                                           : 0;
}

bool deflate_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count,
                        int64_t context_rows, bool last)
{
    const int64_t window = min(window_rows(rows, level), context_rows);
    const size_t context = (size_t)window * (rows->row_bytes + 1);
    const size_t raw_bytes = (size_t)count * (rows->row_bytes + 1);
    uint8_t *filtered = malloc(context + raw_bytes), *out = malloc(RUNS_ROOM(raw_bytes)), *fitting;

    *block = (struct turn_part){.raw_bytes = raw_bytes};
    if (filtered && out &&
        filter_rows(rows, level, image, from - window, from + count, context_rows > window,
                    filtered)) {
        block->adler = (uint32_t)adler32_z(1, filtered + context, raw_bytes);
        block->count = deflate_rows(rows, level, filtered + context, raw_bytes, context, last, out);
    }
    free(filtered);
    if (block->count == 0) {
        free(out);
        return false;
    }
    fitting = realloc(out, block->count); /* it may wait for its turn */
    block->bytes = fitting ? fitting : out;
    return true;
}
