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
#define ROOM_BYTES (1 << 15)
#define PART_BYTES (1u << 30)

/* The state of compressing one block. */
struct making {
    const struct png_rows *rows;
    const struct image *image;
    int level;
    uint8_t *memory;      /* owned: all of the following */
    uint8_t *lines[2];    /* the current row in the file's format, and the row above */
    uint8_t *tries[2];    /* the best filtered row so far, and the next try */
    uint8_t *window;      /* filtered rows above the block */
    const uint8_t *above; /* the row above the next one */
    int turn;             /* which of `lines` holds the current row */
    size_t room;          /* allocated bytes of the block */
    struct runs *runs;    /* owned: compresses if only_runs, else `stream` does */
    z_stream stream;
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

/* Level 1 is not zlib's. After the Paeth filter a smoothed image has hardly any matches but runs:
 * searching only for those gives the size of zlib's level 6 in half of the time of its level 1. */
static bool open_runs(struct making *making)
{
    making->runs = malloc(sizeof *making->runs);
    if (making->runs)
        runs_begin(making->runs);
    return making->runs;
}

static bool open_zlib(struct making *making)
{
    const bool filtered = making->rows->filtered;
    const int level = making->level == 1 && !filtered ? UNFILTERED_LEVEL : making->level;
    const int strategy = level > 0 && filtered ? Z_FILTERED : Z_DEFAULT_STRATEGY;

    return deflateInit2(&making->stream, level, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, strategy) ==
           Z_OK;
}

static bool open_making(struct making *making)
{
    const size_t line = making->rows->row_bytes, filtered = line + 1;
    const size_t window = (size_t)window_rows(making->rows, making->level) * filtered;

    making->memory = calloc(1, 3 * line + 2 * filtered + window);
    if (!making->memory)
        return false;
    making->lines[0] = making->memory;
    making->lines[1] = making->lines[0] + line;
    making->above = making->lines[1] + line; /* stays zero: the row above the first */
    making->tries[0] = making->lines[1] + 2 * line;
    making->tries[1] = making->tries[0] + filtered;
    making->window = making->tries[1] + filtered;
    if (only_runs(making->rows, making->level) ? open_runs(making) : open_zlib(making))
        return true;
    free(making->memory);
    return false;
}

static void close_making(struct making *making)
{
    if (making->runs)
        free(making->runs);
    else
        deflateEnd(&making->stream);
    free(making->memory);
}

static const uint8_t *next_line(struct making *making, int64_t y)
{
    making->turn = !making->turn;
    return png_row_of(making->rows, making->image, y, making->lines[making->turn]);
}

/* The row, filtered by the filter that gives the smallest png_filtered_weight. */
static const uint8_t *best_filtered(struct making *making, const uint8_t *row)
{
    uint64_t smallest = UINT64_MAX;
    int best = 0;

    for (int filter = PNG_NONE; filter < PNG_FILTERS; filter++) {
        uint64_t weight;

        png_filter_row(making->rows, (enum png_filter)filter, row, making->above,
                       making->tries[!best]);
        weight = png_filtered_weight(making->rows, making->tries[!best]);
        if (weight < smallest) {
            smallest = weight;
            best = !best;
        }
    }
    return making->tries[best];
}

/* The next row, filtered: row_bytes + 1 bytes. Level 0 (stored) gains nothing from a filter. */
static const uint8_t *filter_next(struct making *making, int64_t y)
{
    const uint8_t *row = next_line(making, y), *filtered = making->tries[0];

    if (making->level > 1 && making->rows->filtered)
        filtered = best_filtered(making, row);
    else
        png_filter_row(making->rows, only_runs(making->rows, making->level) ? PNG_PAETH : PNG_NONE,
                       row, making->above, making->tries[0]);
    making->above = row;
    return filtered;
}

/* Fills zlib's window, and sets the row above, from the context rows. */
static void take_context(struct making *making, int64_t from, int64_t context_rows)
{
    const size_t filtered = making->rows->row_bytes + 1;
    const int64_t wanted = window_rows(making->rows, making->level);
    const int64_t rows = min(wanted, context_rows);
    size_t bytes = 0, skipped;

    if (context_rows > rows)
        making->above = next_line(making, from - rows - 1);
    for (int64_t y = from - rows; y < from; y++, bytes += filtered)
        memcpy(making->window + bytes, filter_next(making, y), filtered);
    skipped = bytes > WINDOW_BYTES ? bytes - WINDOW_BYTES : 0;
    if (rows > 0)
        deflateSetDictionary(&making->stream, making->window + skipped, (uInt)(bytes - skipped));
}

/* Makes room for `least` more bytes of the block. */
static bool make_room(struct making *making, struct deflate_block *block, size_t least)
{
    const size_t room = making->room + making->room / 2 + least;
    uint8_t *bytes = realloc(block->bytes, room);

    if (!bytes)
        return false;
    block->bytes = bytes;
    making->room = room;
    return true;
}

/* zlib counts in 32 bits: at most this much in one call. */
static uInt part_of(size_t bytes)
{
    return bytes < PART_BYTES ? (uInt)bytes : PART_BYTES;
}

/* Compresses the bytes, and flushes after the last one. */
static bool compress_runs(struct making *making, struct deflate_block *block, const uint8_t *bytes,
                          size_t count, int flush)
{
    struct runs *runs = making->runs;

    if (making->room - block->count < RUNS_ROOM(count) &&
        !make_room(making, block, RUNS_ROOM(count)))
        return false;
    runs->out = block->bytes + block->count;
    runs_add(runs, bytes, count);
    if (flush != Z_NO_FLUSH)
        runs_end(runs, flush == Z_FINISH);
    block->count = (size_t)(runs->out - block->bytes);
    return true;
}

/* The same by zlib. */
static bool deflate_bytes(struct making *making, struct deflate_block *block, const uint8_t *bytes,
                          size_t count, int flush)
{
    z_stream *stream = &making->stream;
    uInt given, room;

    do {
        if (making->room - block->count < ROOM_BYTES / 2 && !make_room(making, block, ROOM_BYTES))
            return false;
        given = part_of(count);
        room = part_of(making->room - block->count);
        stream->next_in = (uint8_t *)bytes; /* zlib only reads it */
        stream->avail_in = given;
        stream->next_out = block->bytes + block->count;
        stream->avail_out = room;
        deflate(stream, given == count ? flush : Z_NO_FLUSH);
        block->count += room - stream->avail_out;
        bytes += given - stream->avail_in;
        count -= given - stream->avail_in;
    } while (count > 0 || stream->avail_out == 0);
    return true;
}

static bool compress_rows(struct making *making, struct deflate_block *block, int64_t from,
                          int64_t count, bool last)
{
    const size_t filtered = making->rows->row_bytes + 1;
    bool done = true;

    for (int64_t i = 0; i < count && done; i++) {
        const uint8_t *row = filter_next(making, from + i);
        const int flush = i + 1 < count ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH;

        block->adler = (uint32_t)adler32_z(block->adler, row, filtered);
        done = (making->runs ? compress_runs : deflate_bytes)(making, block, row, filtered, flush);
    }
    return done;
}

bool deflate_block_make(struct deflate_block *block, const struct png_rows *rows, int level,
                        const struct image *image, int64_t from, int64_t count,
                        int64_t context_rows, bool last)
{
    struct making making = {.rows = rows, .image = image, .level = level};
    bool done;

    *block = (struct deflate_block){.adler = 1, .raw_bytes = (rows->row_bytes + 1) * (size_t)count};
    if (!open_making(&making))
        return false;
    if (context_rows > 0)
        take_context(&making, from, context_rows);
    done = compress_rows(&making, block, from, count, last);
    close_making(&making);
    if (!done)
        free(block->bytes);
    return done;
}
