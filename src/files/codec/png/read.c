/* SPDX-License-Identifier: MIT */
/* Reads PNG with libpng: every colour type and depth, interlaced or not. Samples become 8 or 16
 * bits. Palette colours become RGB, and a transparent colour becomes alpha. Grey of 1, 2 and 4 bits
 * is scaled to 8. libpng delivers ancillary chunks without decoding them, except for tRNS. */
#include "src/files/codec/png/png.h"

#include "kernels/common/numbers.h"

#include <ctype.h>
#include <limits.h>
#include <setjmp.h>
#include <string.h>
#include <zlib.h>

#define DEFLATE_MAX_RATIO 1032 /* a byte of deflate expands to at most this many bytes */

/* The current image. libpng's errors jump to the setjmp of the function that called libpng last. */
struct reading {
    struct png_trouble trouble; /* first, since libpng's callbacks get a pointer to it */
    struct image_reader *reader;
    png_structp png;
    png_infop info;
    bool wrong_sum; /* the chunk that take_chunk gets next has a wrong checksum */
};

static const char *version(void)
{
    static char versions[64];

    snprintf(versions, sizeof versions, "%s, zlib %s", png_get_libpng_ver(NULL), zlibVersion());
    return versions;
}

static bool is_profile(const char *name)
{
    return strcmp(name, "iCCP") == 0 || strcmp(name, "cICP") == 0;
}

/* True for chunks that are read even if no metadata is kept: the chunk with the orientation, and
 * the chunks that linear light needs. */
static bool is_wanted_always(const struct image_reader *reader, const char *name)
{
    return strcmp(name, "eXIf") == 0 ||
           (reader->lights && (strcmp(name, "gAMA") == 0 || strcmp(name, "sRGB") == 0));
}

static bool is_wanted(const struct image_reader *reader, const char *name)
{
    return islower((unsigned char)name[0]) && strcmp(name, "tRNS") != 0 &&
           ((reader->max_metadata > 0 && !png_chunk_why_not(name)) ||
            is_wanted_always(reader, name));
}

/* Stores in *curve what the chunk says: that the curve is sRGB's, or a gamma. If chunks give
 * several gammas, the first one applies. */
static void note_curve(struct image_curve *curve, const png_unknown_chunk *chunk)
{
    const char *name = (const char *)chunk->name;

    curve->is_srgb |= strcmp(name, "sRGB") == 0;
    if (strcmp(name, "gAMA") == 0 && chunk->size == 4 && curve->gamma == 0)
        curve->gamma = png_get_uint_32(chunk->data);
}

/* Keeps a copy of the chunk. If the metadata would then exceed reader->max_metadata, returns
 * STATUS_INPUT instead. */
static enum status keep(struct image_reader *reader, const char *name, bool late,
                        const uint8_t *bytes, size_t count, struct error *error)
{
    const size_t before = reader->metadata.count;
    char what[32];
    enum status status;

    snprintf(what, sizeof what, "the chunk %s", name);
    status = image_reader_keep(reader, name, what, bytes, count, error);
    if (status == STATUS_OK && reader->metadata.count > before)
        reader->metadata.items[before].late = late;
    return status;
}

/* Keeps a chunk of metadata, or notes why it is not kept. */
static enum status take_metadata(struct reading *reading, const png_unknown_chunk *chunk)
{
    struct image_reader *reader = reading->reader;
    const char *name = (const char *)chunk->name;

    reader->curve.has_profile |= is_profile(name);
    if (!is_wanted(reader, name)) {
        if (reader->max_metadata > 0)
            metadata_note(&reader->metadata.left_out, name, png_chunk_why_not(name));
        return STATUS_OK;
    }
    if (reading->wrong_sum) {
        metadata_note(&reader->metadata.damaged, name, "wrong checksum");
        return STATUS_OK;
    }
    note_curve(&reader->curve, chunk);
    return keep(reader, name, (chunk->location & PNG_AFTER_IDAT) != 0, chunk->data, chunk->size,
                reading->trouble.error);
}

/* libpng calls this for each chunk that it does not decode itself, including critical chunks. */
static int take_chunk(png_structp png, png_unknown_chunkp chunk)
{
    struct reading *reading = png_get_user_chunk_ptr(png);
    struct png_trouble *trouble = &reading->trouble;
    enum status status;

    if (!(chunk->location & PNG_HAVE_IHDR))
        status = fail(trouble->error, STATUS_INPUT,
                      "%s: damaged: chunk %s before the header (IHDR)", trouble->name, chunk->name);
    else if (isupper(chunk->name[0]))
        status = fail(trouble->error, STATUS_INPUT, "%s: damaged: unknown critical chunk %s",
                      trouble->name, chunk->name);
    else
        status = take_metadata(reading, chunk);
    reading->wrong_sum = false;
    if (status != STATUS_OK)
        png_longjmp(png, 1);
    return 1;
}

/* True if the text begins with a chunk's name, as "IHDR: CRC error" does. */
static bool is_named(const char *text)
{
    return strlen(text) > 6 && memcmp(text + 4, ": ", 2) == 0;
}

void png_trouble_error(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);
    const char *damaged = trouble->status == STATUS_INPUT ? "damaged: " : "";
    const char *what = is_named(text) ? text + 6 : text;
    char where[32] = "";

    if (is_named(text))
        snprintf(where, sizeof where, "%s (%.4s)",
                 memcmp(text, "IDAT", 4) == 0 ? " in the image data" : "", text);
    what = strcmp(what, "CRC error") == 0 ? "wrong checksum" : what + strspn(what, ".");
    if (strstr(what, "memory"))
        fail(trouble->error, trouble->status, "%s: no memory for libpng", trouble->name);
    else /* text that begins with a word gets a small letter; an abbreviation keeps its capital */
        fail(trouble->error, trouble->status, "%s: %s%c%s%s", trouble->name, damaged,
             islower((unsigned char)what[1]) ? tolower((unsigned char)what[0]) : what[0], what + 1,
             where);
    png_longjmp(png, 1);
}

/* Handles a warning about a chunk of metadata. If metadata is kept, a warning means that libpng has
 * skipped a chunk of more than max_metadata bytes, which is an error. But a chunk with a wrong
 * checksum is not skipped: libpng passes it to take_chunk. */
static void take_chunk_warning(struct reading *reading, const char *name, const char *why)
{
    const struct image_reader *reader = reading->reader;
    char what[32];

    snprintf(what, sizeof what, "the chunk %s", name);
    reading->wrong_sum = strcmp(why, "CRC error") == 0;
    if (reading->wrong_sum || reader->max_metadata == 0)
        return;
    metadata_too_large(reader->name, what, reader->max_metadata, reading->trouble.error);
    png_longjmp(reading->png, 1);
}

/* `name` names a chunk on which samples depend; `why` is libpng's warning about this chunk. True if
 * the warning means that samples may be wrong. */
static bool is_error(const char *name, const char *why)
{
    static const char *const more_than_rows[] = {"Extra compressed data", "Too much image data",
                                                 "chunk data is too large"};

    if (strcmp(name, "IDAT") != 0)
        return strcmp(why, strcmp(name, "tRNS") == 0 ? "CRC error" : "out of place") == 0;
    for (size_t i = 0; i < sizeof more_than_rows / sizeof *more_than_rows; i++)
        if (strcmp(why, more_than_rows[i]) == 0)
            return false;
    return true;
}

static void take_warning(png_structp png, png_const_charp text)
{
    struct reading *reading = png_get_error_ptr(png);
    struct metadata *metadata = &reading->reader->metadata;
    char name[5];

    snprintf(name, sizeof name, "%.4s", text);
    if (strcmp(text, "Out of memory") == 0)
        png_error(png, text);
    else if (!is_named(text))
        metadata_note(&metadata->faults, NULL, text);
    else if (is_wanted(reading->reader, name))
        take_chunk_warning(reading, name, text + 6);
    else if (islower((unsigned char)name[0]) && strcmp(name, "tRNS") != 0)
        return; /* the chunk is not kept */
    else if (is_error(name, text + 6))
        png_trouble_error(png, text);
    else if (strcmp(name, "IDAT") == 0)
        metadata_note(&metadata->faults, "IDAT after the last sample", text + 6);
    else
        metadata_note(&metadata->damaged, name, text + 6);
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    struct reading *reading = png_get_io_ptr(png);

    if (fread(bytes, 1, count, reading->reader->file) == count)
        return;
    image_reader_short(reading->reader, "the middle of a chunk", reading->trouble.error);
    png_longjmp(png, 1);
}

static struct shape shape_of(png_structp png, png_infop info)
{
    const int colour = png_get_color_type(png, info);
    const bool alpha =
        png_get_valid(png, info, PNG_INFO_tRNS) != 0 || (colour & PNG_COLOR_MASK_ALPHA) != 0;

    return (struct shape){
        .width = png_get_image_width(png, info),
        .height = png_get_image_height(png, info),
        .channels = ((colour & PNG_COLOR_MASK_COLOR) ? 3 : 1) + (alpha ? 1 : 0),
        .maxval = png_get_bit_depth(png, info) == 16 ? 65535 : 255,
    };
}

static void prepare(struct reading *reading)
{
    const png_structp png = reading->png;
    const int64_t limit = reading->reader->max_metadata;

    png_set_read_fn(png, reading, read_bytes);
    png_set_user_limits(png, INT_MAX, INT_MAX); /* image_reader_check_header checks sides */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, NULL, -1);
    png_set_read_user_chunk_fn(png, reading, take_chunk);
    if (limit > 0)
        png_set_chunk_malloc_max(png, (png_alloc_size_t)min(limit, (int64_t)PNG_UINT_31_MAX));
}

static void convert(const struct reading *reading, const struct image *header)
{
    const png_structp png = reading->png;

    png_set_expand(png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, reading->info);
    if (png_get_rowbytes(png, reading->info) != image_row_bytes(header))
        png_error(png, "internal error: libpng's rows do not have the declared length");
}

/* The caller has called setjmp: any call of libpng may jump out of this function. */
static enum status read_header(struct reading *reading, struct image *header)
{
    const png_structp png = reading->png;
    const png_infop info = reading->info;
    struct shape shape;
    enum status status;

    prepare(reading);
    png_read_info(png, info);
    shape = shape_of(png, info);
    status = image_reader_check_header(reading->reader, &shape,
                                       (double)shape.width * png_get_bit_depth(png, info) *
                                           png_get_channels(png, info) / DEFLATE_MAX_RATIO,
                                       reading->trouble.error);
    if (status != STATUS_OK)
        return status;
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE)
        metadata_note(&reading->reader->metadata.left_out, "PLTE", "the colours are RGB");
    image_lay_out(header, &shape);
    header->format = FORMAT_PNG;
    reading->reader->order =
        png_get_interlace_type(png, info) == PNG_INTERLACE_NONE ? ROWS_IN_ORDER : ROWS_AT_ONCE;
    convert(reading, header);
    return STATUS_OK;
}

static enum status open_png(struct image_reader *reader, struct image *header, struct error *error)
{
    struct reading *reading = reader->reading;

    reading->reader = reader;
    reading->trouble = (struct png_trouble){reader->name, STATUS_INPUT, error};
    reading->png =
        png_create_read_struct(PNG_LIBPNG_VER_STRING, reading, png_trouble_error, take_warning);
    if (reading->png)
        reading->info = png_create_info_struct(reading->png);
    if (!reading->info)
        return fail(error, STATUS_INPUT, "%s: no memory for libpng", reader->name);
    return setjmp(png_jmpbuf(reading->png)) == 0 ? read_header(reading, header) : STATUS_INPUT;
}

static enum status read_png(const struct image_reader *reader, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    struct reading *reading = reader->reading;
    const int passes = reader->order == ROWS_AT_ONCE ? PNG_INTERLACE_ADAM7_PASSES : 1;

    (void)first;
    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < count; y++)
            png_read_row(reading->png, image_row(image, to + y), NULL);
    return STATUS_OK;
}

static enum status finish_png(struct image_reader *reader, struct error *error)
{
    struct reading *reading = reader->reading;

    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    png_read_end(reading->png, reading->info);
    return STATUS_OK;
}

static void drop_png(void *state)
{
    struct reading *reading = state;

    png_destroy_read_struct(&reading->png, &reading->info, NULL);
}

/* A PNG file holds one image. Bytes after this image are not read, but noted. */
static enum status more_png(struct image_reader *reader, bool *more, struct error *error)
{
    (void)more, (void)error;
    image_reader_note_rest(reader, "another PNG image after the end, not read");
    return STATUS_OK;
}

const struct codec codec_png = {
    .magics = {"\x89PNG\r\n\x1a\n"},
    .magic_bytes = 8,
    .version = version,
    .reading_bytes = sizeof(struct reading),
    .open = open_png,
    .read = read_png,
    .finish = finish_png,
    .drop = drop_png,
    .more = more_png,
    .encoder = &png_encoder,
};
