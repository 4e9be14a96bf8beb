/* SPDX-License-Identifier: MIT */
/* Filters and compresses blocks of rows. The bytes of a block depend neither on other blocks nor on
 * the number of threads, because each block begins with an empty zlib window, and with a row whose
 * filter needs no row above. */
#include "src/files/codec/png/block.h"
#include "kernels/common/sample.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Approximate bytes of filtered rows in a block: so few that even small images have several blocks,
 * on which several threads can work. */
#define BLOCK_BYTES (1 << 17)
#define WINDOW_BITS 15
#define MEMORY_LEVEL 8 /* zlib's default */
#define PART_BYTES (1u << 30)

/* Returns the bits of a sample in the file: 1, 2 or 4 in a grey image of maxval 1, 3 or 15; else 8
 * for a maxval up to 255, and 16 for a larger one. */
static int depth_of(const struct image *image)
{
    if (image->view.channels == 1)
        for (int depth = 1; depth <= 4; depth *= 2)
            if (image->maxval == (1u << depth) - 1)
                return depth;
    return image->maxval > 255 ? 16 : 8;
}

struct png_rows png_rows_of(const struct image *header, bool scale)
{
    const int depth = depth_of(header);
    const uint32_t full = (1u << depth) - 1;
    const int64_t samples = header->view.width * header->view.channels;
    const int64_t pixel_bits = (int64_t)depth * header->view.channels;

    return (struct png_rows){
        .samples = samples,
        .depth = depth,
        .scaled = scale && header->maxval != full,
        .filtered = depth >= 8,
        .maxval = header->maxval,
        .row_bytes = (size_t)(samples * depth + 7) / 8,
        .distance = (size_t)(pixel_bits + 7) / 8,
    };
}

/* Returns sample i of a row of the image, scaled to the depth if rows->scaled. */
static uint32_t sample_of(const struct png_rows *rows, const void *row, int32_t sample_bytes,
                          int64_t i)
{
    const uint32_t sample = row_get(row, sample_bytes, i);
    const uint32_t full = (1u << rows->depth) - 1;

    return rows->scaled ? (sample * full + rows->maxval / 2) / rows->maxval : sample;
}

/* Packs samples of depths below 8. The leftmost sample is in the highest bits; zeros fill the last
 * byte. */
static void pack(const struct png_rows *rows, const uint8_t *row, uint8_t *room)
{
    const int in_byte = 8 / rows->depth;

    memset(room, 0, rows->row_bytes);
    for (int64_t i = 0; i < rows->samples; i++)
        room[i / in_byte] =
            (uint8_t)(room[i / in_byte] | row[i] << (8 - rows->depth * (int)(1 + i % in_byte)));
}

/* Returns row y of *image in the file's format, without filter byte: a pointer into the image if it
 * has that format; else `room`, row_bytes long, into which the row is converted. */
static const uint8_t *row_of(const struct png_rows *rows, const struct image *image, int64_t y,
                             uint8_t *room)
{
    const void *row = image_row(image, y);
    const int32_t bytes = image->view.sample_bytes;

    if (rows->depth == 8 && !rows->scaled)
        return row;
    if (rows->depth < 8)
        pack(rows, row, room);
    else if (rows->depth == 8)
        for (int64_t i = 0; i < rows->samples; i++)
            room[i] = (uint8_t)sample_of(rows, row, bytes, i);
    else
        for (int64_t i = 0; i < rows->samples; i++) {
            const uint16_t swapped = htobe16((uint16_t)sample_of(rows, row, bytes, i));

            memcpy(room + 2 * i, &swapped, sizeof swapped);
        }
    return room;
}

/* The filters use bytes and masks, not branches, so that the compiler vectorises their loops. The
 * loops then take a sixth of the time. */
static uint8_t abs_difference(uint8_t a, uint8_t b)
{
    const uint8_t high = a > b ? a : b, low = a > b ? b : a;

    return (uint8_t)(high - low);
}

/* Returns 255 if true, else 0. */
static uint8_t mask_of(bool condition)
{
    return (uint8_t)-condition;
}

/* Returns a if the mask is 255, b if it is 0. */
static uint8_t choose(uint8_t mask, uint8_t a, uint8_t b)
{
    return (uint8_t)((a & mask) | (b & (uint8_t)~mask));
}

/* PNG's Paeth predictor: of left, above and corner (above left), the one nearest to
 * p = left + above - corner; on a tie, the one that comes first in this list. The distances fit a
 * byte:
 *
 *     |p - left|   = |above - corner|
 *     |p - above|  = |left - corner|
 *     |p - corner| = their sum if left and above are on the same side of the corner, else their
 *                    difference; the sum saturates at 255, which no other distance exceeds */
static uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner)
{
    const uint8_t to_left = abs_difference(above, corner), to_above = abs_difference(left, corner);
    const uint8_t sum = (uint8_t)(to_left + to_above);
    const uint8_t saturated = (uint8_t)(sum | mask_of(sum < to_left));
    const uint8_t opposite = (uint8_t)(mask_of(left > corner) ^ mask_of(above > corner));
    const uint8_t to_corner = choose(opposite, abs_difference(to_left, to_above), saturated);
    const uint8_t is_left = (uint8_t)(mask_of(to_left <= to_above) & mask_of(to_left <= to_corner));

    return choose(is_left, left, choose(mask_of(to_above <= to_corner), above, corner));
}

/* PNG's filter types that are written. */
enum png_filter { PNG_NONE = 0, PNG_SUB = 1, PNG_PAETH = 4 };

/* Sets filtered[0] to the filter type and filtered[1..row_bytes] to the filtered row. `above` is
 * the row above, which only PNG_PAETH needs. */
static void filter_row(const struct png_rows *rows, enum png_filter filter, const uint8_t *row,
                       const uint8_t *above, uint8_t *filtered)
{
    const size_t bytes = rows->row_bytes, back = rows->distance;
    /* Bytes of the first pixel, which has no pixel on its left. */
    const size_t first = back < bytes ? back : bytes;
    uint8_t *restrict out = filtered + 1;

    filtered[0] = (uint8_t)filter;
    switch (filter) {
    case PNG_NONE:
        memcpy(out, row, bytes);
        break;
    case PNG_SUB:
        memcpy(out, row, first);
        for (size_t i = first; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - row[i - back]);
        break;
    default: /* PNG_PAETH, which predicts the byte above if there is none to the left */
        for (size_t i = 0; i < first; i++)
            out[i] = (uint8_t)(row[i] - above[i]);
        for (size_t i = first; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - paeth(row[i - back], above[i], above[i - back]));
    }
}

int64_t png_block_rows(const struct png_rows *rows)
{
    return BLOCK_BYTES / (int64_t)(rows->row_bytes + 1) + 1;
}

/* Filters the rows of a block. Level 0 (stored) gains nothing from a filter. Choosing among all
 * filters for each row would save 3 % of the bytes of a photograph, and nothing for a smoothed
 * photograph. Returns false if memory runs out. */
static bool filter_rows(const struct png_rows *rows, int level, const struct image *image,
                        int64_t from, int64_t count, uint8_t *filtered)
{
    const size_t line = rows->row_bytes;
    const bool plain = level == 0 || !rows->filtered;
    uint8_t *memory = malloc(2 * line); /* this row and the one above, alternately */
    const uint8_t *above = NULL;

    for (int64_t y = 0; y < count && memory; y++, filtered += line + 1) {
        const uint8_t *row = row_of(rows, image, from + y, memory + (y & 1 ? line : 0));

        filter_row(rows, plain ? PNG_NONE : above ? PNG_PAETH : PNG_SUB, row, above, filtered);
        above = row;
    }
    free(memory);
    return memory != NULL;
}

/* Begins a zlib stream of this level. After the Paeth filter hardly any bytes of a smoothed image
 * repeat earlier ones, except for runs of equal bytes, so level 1 makes zlib search only for runs.
 * The file is as small as with zlib's level 6, and takes less time than with zlib's own level 1. */
static bool open_zlib(z_stream *stream, const struct png_rows *rows, int level, bool first)
{
    const int strategy = !rows->filtered || level == 0 ? Z_DEFAULT_STRATEGY
                         : level == 1                  ? Z_RLE
                                                       : Z_FILTERED;

    return deflateInit2(stream, level, Z_DEFLATED, first ? WINDOW_BITS : -WINDOW_BITS, MEMORY_LEVEL,
                        strategy) == Z_OK;
}

/* Returns how many of the bytes one call of zlib gets: at most PART_BYTES, since zlib counts in 32
 * bits. */
static uInt part_of(size_t bytes)
{
    return bytes < PART_BYTES ? (uInt)bytes : PART_BYTES;
}

/* Deflates the bytes to out, which has `room` bytes. Returns the number of bytes written. */
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

bool png_block_make(struct turn_part *block, const struct png_rows *rows, int level,
                    const struct image *image, int64_t from, int64_t count, bool first, bool last)
{
    const size_t raw_bytes = (size_t)count * (rows->row_bytes + 1);
    const size_t room = raw_bytes + (raw_bytes >> 3) + 4096; /* more than zlib's deflateBound */
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
    /* Frees the unused end of `out`, since the block may wait to be written. */
    fitting = realloc(out, block->count + CHECKSUM_BYTES);
    block->bytes = fitting ? fitting : out;
    return true;
}
