/* SPDX-License-Identifier: MIT */
/* PNG files of every kind whose compressed data has one wrong bit, under the right checksums of the
 * chunks: the status, message, notes and samples do not depend on how the chunks cut the stream. */
#include "src/files/codec/codec.h"
#include "src/files/codec/png/row.h"
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WIDTH = 9, HEIGHT = 5, MAX_BYTES = 4000 };

static const struct kind {
    uint8_t colour, depth, samples;
    bool interlaced;
} kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, 1, false},      {PNG_COLOR_TYPE_GRAY, 8, 1, false},
    {PNG_COLOR_TYPE_PALETTE, 4, 1, false},   {PNG_COLOR_TYPE_RGB, 16, 3, false},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 2, true}, {PNG_COLOR_TYPE_GRAY, 16, 1, true},
    {PNG_COLOR_TYPE_RGB_ALPHA, 8, 4, false},
};

struct bytes {
    uint8_t at[MAX_BYTES];
    size_t count;
};

static void add(struct bytes *file, const void *bytes, size_t count)
{
    NEED(file->count + count <= MAX_BYTES);
    memcpy(file->at + file->count, bytes, count);
    file->count += count;
}

static void add_number(struct bytes *file, uint32_t number)
{
    const uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 8), (uint8_t)number};

    add(file, bytes, sizeof bytes);
}

static void add_chunk(struct bytes *file, const char *name, const void *bytes, size_t count)
{
    const size_t begin = file->count + 4;

    add_number(file, (uint32_t)count);
    add(file, name, 4);
    add(file, bytes, count);
    add_number(file, (uint32_t)crc32(0, file->at + begin, (uInt)(count + 4)));
}

/* A file with this stream, in chunks of `cut` bytes. */
static void make_file(const struct kind *kind, const struct bytes *stream, size_t cut,
                      struct bytes *file)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const uint8_t header[] = {
        0, 0, 0, WIDTH, 0, 0, 0, HEIGHT, kind->depth, kind->colour, 0, 0, kind->interlaced};
    uint8_t colours[3 * 16];

    file->count = 0;
    add(file, signature, sizeof signature);
    add_chunk(file, "IHDR", header, sizeof header);
    for (size_t i = 0; i < sizeof colours; i++)
        colours[i] = (uint8_t)(7 * i);
    if (kind->colour == PNG_COLOR_TYPE_PALETTE)
        add_chunk(file, "PLTE", colours, sizeof colours);
    for (size_t at = 0; at < stream->count; at += cut)
        add_chunk(file, "IDAT", stream->at + at,
                  cut < stream->count - at ? cut : stream->count - at);
    add_chunk(file, "IEND", "", 0);
}

/* All bytes are small, and so are the bytes of filters, wherever they are. */
static void compress_rows(const struct kind *kind, int level, int strategy, struct bytes *stream)
{
    const uint64_t count =
        png_filtered_bytes(WIDTH, HEIGHT, kind->depth * kind->samples, kind->interlaced);
    uint8_t rows[MAX_BYTES];
    z_stream z = {.next_in = rows, .avail_in = (uInt)count};

    for (size_t i = 0; i < count; i++)
        rows[i] = (uint8_t)(i % 37 < 9 ? 1 : i * i % 11 % 5);
    NEED(deflateInit2(&z, level, Z_DEFLATED, 15, 8, strategy) == Z_OK);
    z.next_out = stream->at;
    z.avail_out = MAX_BYTES;
    NEED(deflate(&z, Z_FINISH) == Z_STREAM_END);
    stream->count = z.total_out;
    deflateEnd(&z);
}

struct outcome {
    enum status status;
    struct error error;
    char notes[sizeof((struct metadata_notes *)NULL)->text];
    struct image image; /* empty on failure */
};

/* Reads a file with this stream in chunks of `cut` bytes. */
static void read_cut(const struct kind *kind, const struct bytes *stream, size_t cut,
                     struct outcome *outcome)
{
    const char *path = scratch_path("damaged.png");
    struct image_reader reader;
    struct bytes file;
    bool found;

    make_file(kind, stream, cut, &file);
    scratch_write(path, file.at, file.count);
    *outcome = (struct outcome){.error = {STATUS_OK, ""}};
    outcome->status = image_reader_open(&reader, path, TEST_MAX_PIXELS, &outcome->error);
    if (outcome->status == STATUS_OK)
        outcome->status = image_reader_next(&reader, 0, &outcome->image, &found, &outcome->error);
    memcpy(outcome->notes, reader.metadata.faults.text, sizeof outcome->notes);
    image_reader_close(&reader);
}

static void check_same(const struct kind *kind, const struct bytes *stream, size_t cut, size_t bit)
{
    struct outcome want, got;

    read_cut(kind, stream, MAX_BYTES, &want);
    read_cut(kind, stream, cut, &got);
    CHECK(got.status == want.status && strcmp(got.error.text, want.error.text) == 0 &&
              strcmp(got.notes, want.notes) == 0,
          "colour %d, depth %d, bit %zu: one chunk: %d %s (%s); chunks of %zu: %d %s (%s)",
          kind->colour, kind->depth, bit, (int)want.status, want.error.text, want.notes, cut,
          (int)got.status, got.error.text, got.notes);
    CHECK(want.status != STATUS_OK || got.status != STATUS_OK ||
              same_pixels(&got.image, &want.image),
          "colour %d, depth %d, bit %zu: other samples", kind->colour, kind->depth, bit);
    if (want.status == STATUS_OK)
        image_free(&want.image);
    if (got.status == STATUS_OK)
        image_free(&got.image);
}

/* Each `every`th bit of the stream. */
static void check_flipped(const struct kind *kind, struct bytes *stream, size_t cut, size_t every)
{
    for (size_t bit = 0; bit < 8 * stream->count; bit += every) {
        stream->at[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check_same(kind, stream, cut, bit);
        stream->at[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

/* Without its last bytes, as if it had ended there. */
static void check_cut(const struct kind *kind, const struct bytes *stream)
{
    struct bytes part = *stream;

    for (; part.count > 0; part.count--)
        check_same(kind, &part, 3, 8 * part.count);
}

int main(void)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY};
    struct bytes stream;

    scratch_make();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int s = 0; s < 3; s++) {
            compress_rows(&kinds[k], 9, strategies[s], &stream);
            check_cut(&kinds[k], &stream);
            check_flipped(&kinds[k], &stream, s == 0 ? 1 : 11, s == 0 ? 1 : 7);
        }
    return unit_result();
}
