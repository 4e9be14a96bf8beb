/* SPDX-License-Identifier: MIT */
/* Each piece begins as if the one before it had just been compressed: zlib's window holds the rows
 * above it, and the filters see the row above it. So hardly a byte is lost by cutting. And pieces
 * are cut by rows, not by threads: the file is the same with any number of them. */
#include "codec_png_piece.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE_BYTES (1 << 17)  /* of filtered rows: so small that small images have several */
#define WINDOW_BYTES (1 << 15) /* of deflate: how far back repetitions are found */
#define WINDOW_BITS 15
#define MEMORY_LEVEL 8 /* zlib's own choice */
#define ROOM_BYTES (1 << 15)
#define PART_BYTES (1u << 30)

/* One piece in work. */
struct making {
    const struct png_rows *rows;
    const struct image *image;
    int level;
    uint8_t *memory;      /* owned: all of the following */
    uint8_t *lines[2];    /* a row in the file's form, and the one above it */
    uint8_t *tries[2];    /* a filtered row, and another try */
    uint8_t *window;      /* filtered rows above the piece */
    const uint8_t *above; /* the row above the next one */
    int turn;             /* which of `lines` is free */
    size_t room;          /* of the piece's bytes */
    z_stream stream;
};

int64_t png_piece_rows(const struct png_rows *rows)
{
    return PIECE_BYTES / (int64_t)(rows->row_bytes + 1) + 1;
}

/* Level 1 looks for nothing but runs, and packed samples are not filtered. */
static bool only_runs(const struct png_rows *rows, int level)
{
    return level == 1 && rows->depth >= 8;
}

static int64_t window_rows(const struct png_rows *rows, int level)
{
    if (level == 0 || only_runs(rows, level))
        return 0;
    return (WINDOW_BYTES - 1) / (int64_t)(rows->row_bytes + 1) + 1;
}

int64_t png_piece_lead(const struct png_rows *rows, int level)
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

/* Level 1 is not zlib's: smoothed pictures filtered by Paeth's rule have hardly any repetitions
 * left but runs, and looking for nothing but runs gives the size of level 6 in the time of level 1.
 */
static int strategy_of(const struct making *making)
{
    if (only_runs(making->rows, making->level))
        return Z_RLE;
    return making->level > 0 && making->rows->depth >= 8 ? Z_FILTERED : Z_DEFAULT_STRATEGY;
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
    making->above = making->lines[1] + line; /* stays zero: above the first row */
    making->tries[0] = making->lines[1] + 2 * line;
    making->tries[1] = making->tries[0] + filtered;
    making->window = making->tries[1] + filtered;
    if (deflateInit2(&making->stream, making->level, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL,
                     strategy_of(making)) == Z_OK)
        return true;
    free(making->memory);
    return false;
}

static void close_making(struct making *making)
{
    deflateEnd(&making->stream);
    free(making->memory);
}

static const uint8_t *next_line(struct making *making, int64_t y)
{
    making->turn = !making->turn;
    return png_row_of(making->rows, making->image, y, making->lines[making->turn]);
}

/* By the filter that makes the row lightest. */
static const uint8_t *lightest(struct making *making, const uint8_t *row)
{
    uint64_t least = UINT64_MAX;
    int best = 0;

    for (int filter = PNG_NONE; filter < PNG_FILTERS; filter++) {
        uint64_t weight;

        png_filter_row(making->rows, (enum png_filter)filter, row, making->above,
                       making->tries[!best]);
        weight = png_filtered_weight(making->rows, making->tries[!best]);
        if (weight < least) {
            least = weight;
            best = !best;
        }
    }
    return making->tries[best];
}

/* The next row, filtered: row_bytes + 1. Packed samples are no bytes for the filters to compare,
 * and what is only stored needs none. */
static const uint8_t *filter_next(struct making *making, int64_t y)
{
    const uint8_t *row = next_line(making, y), *filtered = making->tries[0];

    if (making->level > 1 && making->rows->depth >= 8)
        filtered = lightest(making, row);
    else
        png_filter_row(making->rows, only_runs(making->rows, making->level) ? PNG_PAETH : PNG_NONE,
                       row, making->above, making->tries[0]);
    making->above = row;
    return filtered;
}

/* The rows above the piece: what the filters and the window see of them. */
static void take_lead(struct making *making, int64_t from, int64_t lead)
{
    const size_t filtered = making->rows->row_bytes + 1;
    const int64_t wanted = window_rows(making->rows, making->level);
    const int64_t rows = wanted < lead ? wanted : lead;
    size_t bytes = 0, skipped;

    if (lead > rows)
        making->above = next_line(making, from - rows - 1);
    for (int64_t y = from - rows; y < from; y++, bytes += filtered)
        memcpy(making->window + bytes, filter_next(making, y), filtered);
    skipped = bytes > WINDOW_BYTES ? bytes - WINDOW_BYTES : 0;
    if (rows > 0)
        deflateSetDictionary(&making->stream, making->window + skipped, (uInt)(bytes - skipped));
}

/* Room for some more bytes of the stream. */
static bool make_room(struct making *making, struct png_piece *piece)
{
    const size_t room = making->room + making->room / 2 + ROOM_BYTES;
    uint8_t *bytes = realloc(piece->bytes, room);

    if (!bytes)
        return false;
    piece->bytes = bytes;
    making->room = room;
    return true;
}

/* zlib counts in 32 bits. */
static uInt part_of(size_t bytes)
{
    return bytes < PART_BYTES ? (uInt)bytes : PART_BYTES;
}

/* Compresses the bytes, with the flush behind the last of them. */
static bool squeeze(struct making *making, struct png_piece *piece, const uint8_t *bytes,
                    size_t count, int flush)
{
    z_stream *stream = &making->stream;
    uInt given, room;

    do {
        if (making->room - piece->count < ROOM_BYTES / 2 && !make_room(making, piece))
            return false;
        given = part_of(count);
        room = part_of(making->room - piece->count);
        stream->next_in = (uint8_t *)bytes; /* zlib only reads it */
        stream->avail_in = given;
        stream->next_out = piece->bytes + piece->count;
        stream->avail_out = room;
        deflate(stream, given == count ? flush : Z_NO_FLUSH);
        piece->count += room - stream->avail_out;
        bytes += given - stream->avail_in;
        count -= given - stream->avail_in;
    } while (count > 0 || stream->avail_out == 0);
    return true;
}

static bool compress_rows(struct making *making, struct png_piece *piece, int64_t from,
                          int64_t count, bool last)
{
    const size_t filtered = making->rows->row_bytes + 1;
    bool done = true;

    for (int64_t i = 0; i < count && done; i++) {
        const uint8_t *row = filter_next(making, from + i);
        const int flush = i + 1 < count ? Z_NO_FLUSH : last ? Z_FINISH : Z_SYNC_FLUSH;

        piece->adler = (uint32_t)adler32_z(piece->adler, row, filtered);
        done = squeeze(making, piece, row, filtered, flush);
    }
    return done;
}

bool png_piece_make(struct png_piece *piece, const struct png_rows *rows, int level,
                    const struct image *image, int64_t from, int64_t count, int64_t lead, bool last)
{
    struct making making = {.rows = rows, .image = image, .level = level};
    bool done;

    *piece = (struct png_piece){.adler = (uint32_t)adler32(0, NULL, 0),
                                .raw_bytes = (rows->row_bytes + 1) * (size_t)count};
    if (!open_making(&making))
        return false;
    if (lead > 0)
        take_lead(&making, from, lead);
    done = compress_rows(&making, piece, from, count, last);
    close_making(&making);
    if (!done)
        free(piece->bytes);
    return done;
}
