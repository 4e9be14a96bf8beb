/* SPDX-License-Identifier: MIT */
/* Reads PNG: every colour type and depth, interlaced or not. libpng reads the header and judges the
 * chunks; rows that need no conversion are read by unfilter/plain.c, others by libpng's row
 * interface. Samples have 8 or 16 bits: a palette becomes RGB, a transparent colour becomes alpha,
 * and grey of 1, 2 and 4 bits is scaled to 8; unless the reader leaves them as stored. */
#include "src/files/codec/png/png.h"
#include "src/files/codec/png/chunks/chunks.h"
#include "src/files/codec/png/chunks/chunk_rules.h"
#include "src/files/codec/png/palette.h"
#include "src/files/codec/png/unfilter/plain.h"
#include "src/files/codec/png/row.h"
#include "src/files/codec/rows/stored.h"

#include <limits.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>

/* --- What the chunks before the samples say of the pixels. */

/* The image's shape, computed before anything is allocated. */
static struct shape png_converted_shape(png_structp png, png_infop info)
{
    const int colour = png_get_color_type(png, info);
    const bool key = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    const bool alpha = key || (colour & PNG_COLOR_MASK_ALPHA) != 0;

    return (struct shape){
        .width = png_get_image_width(png, info),
        .height = png_get_image_height(png, info),
        .channels = ((colour & PNG_COLOR_MASK_COLOR) ? 3 : 1) + (alpha ? 1 : 0),
        .maxval = png_get_bit_depth(png, info) == 16 ? 65535 : 255,
    };
}

static struct shape png_stored_shape(png_structp png, png_infop info)
{
    struct shape shape = png_converted_shape(png, info);

    shape.channels = png_get_channels(png, info);
    shape.maxval = (1u << png_get_bit_depth(png, info)) - 1;
    return shape;
}

/* Bits of a pixel in the file. */
static int png_pixel_bits(png_structp png, png_infop info)
{
    return png_get_bit_depth(png, info) * png_get_channels(png, info);
}

/* The chunk tRNS: an alpha for each of the first colours, or one transparent colour, without the
 * bits above those of the samples, which libpng ignores. */
static int take_transparency(uint8_t *bytes, uint32_t maxval, png_structp png, png_infop info)
{
    const int type = png_get_color_type(png, info);
    png_color_16p key = NULL;
    png_bytep alphas = NULL;
    int count = 0;

    if (png_get_tRNS(png, info, &alphas, &count, &key) == 0)
        return 0;
    if (type == PNG_COLOR_TYPE_PALETTE) {
        memcpy(bytes, alphas, (size_t)count);
        return count;
    }
    png_save_uint_16(bytes, (type == PNG_COLOR_TYPE_GRAY ? key->gray : key->red) & maxval);
    png_save_uint_16(bytes + 2, key->green & maxval);
    png_save_uint_16(bytes + 4, key->blue & maxval);
    return type == PNG_COLOR_TYPE_GRAY ? 2 : 6;
}

/* What stored pixels mean. *palette: of png_palette_take. */
static void png_stored_take(struct stored_pixels *stored, const struct png_palette *palette,
                            png_structp png, png_infop info)
{
    const struct shape shape = png_converted_shape(png, info);

    *stored = (struct stored_pixels){
        .indexed = palette->size > 0,
        .channels = shape.channels,
        .maxval = png_stored_shape(png, info).maxval,
        .converted = shape.maxval,
        .colours = palette->size,
    };
    for (int i = 0; i < palette->size; i++)
        memcpy(stored->palette + 3 * i, palette->colours[i], 3);
    stored->transparency_bytes = take_transparency(stored->transparency, stored->maxval, png, info);
}

#define DEFLATE_MAX_RATIO 1032 /* bytes that one byte of deflate expands to, at most */

static const char *version(void)
{
    return png_get_libpng_ver(NULL);
}

const char *codec_zlib_version(void)
{
    return zlibVersion();
}

/* The current image. libpng jumps to the setjmp of the last function that called it. */
struct reading {
    struct png_trouble trouble; /* trouble.error changes with each call */
    struct image_reader *reader;
    struct png_chunks chunks;
    struct png_palette palette;
    struct unfilter unfilter; /* open: the rows are read without libpng, by plain.c */
    png_structp png;
    png_infop info;
    int passes; /* over the rows: more than 1 if they are interlaced */
};

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    struct reading *reading = png_get_io_ptr(png);

    if (png_chunks_read(&reading->chunks, bytes, count, reading->trouble.error) != STATUS_OK)
        png_longjmp(png, 1);
}

static enum status check_header(const struct reading *reading, const struct shape *shape,
                                struct error *error)
{
    return image_reader_check_header(
        reading->reader, shape,
        (double)shape->width * png_pixel_bits(reading->png, reading->info) / DEFLATE_MAX_RATIO,
        error);
}

/* Converts metadata about samples. Before png_set_expand, inside libpng's setjmp. */
static enum status convert_metadata(struct reading *reading)
{
    const png_structp png = reading->png;
    const bool as_stored = reading->reader->as_stored;
    const struct png_file_samples samples = {
        .colour = png_get_color_type(png, reading->info),
        .depth = png_get_bit_depth(png, reading->info),
        .adds_alpha = !as_stored && png_get_valid(png, reading->info, PNG_INFO_tRNS) != 0,
        .as_stored = as_stored,
        .palette = &reading->palette,
    };

    if (png_metadata_convert(reading->trouble.metadata, &samples))
        return STATUS_OK;
    return image_reader_no_metadata(reading->reader, reading->trouble.error);
}

/* From here on samples.c makes the IDAT chunks that libpng gets, so libpng need not check them. */
static void trust_samples(png_structp png)
{
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_NO_CHANGE);
    png_set_compression_buffer_size(png, PNG_SAMPLES_BLOCK_BYTES);
#ifdef PNG_IGNORE_ADLER32
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
}

/* Describes the image in memory, and tells libpng what to convert for it. *shape: after conversion.
 */
static void choose_pixels(const struct reading *reading, const struct shape *shape,
                          struct image *header)
{
    struct image_reader *reader = reading->reader;
    const struct shape stored = png_stored_shape(reading->png, reading->info);

    image_describe(header, reader->as_stored ? &stored : shape);
    header->format = FORMAT_PNG;
    if (reader->as_stored)
        png_set_packing(reading->png);
    else if (reading->palette.size == 0)
        png_set_expand(reading->png);
    if (!reader->as_stored ||
        (stored.channels == shape->channels && stored.maxval == shape->maxval))
        return;
    png_stored_take(&reader->stored, &reading->palette, reading->png, reading->info);
    header->stored = &reader->stored;
}

/* Inside libpng's setjmp: any call of libpng may jump out. */
static enum status read_header(struct reading *reading, struct image *header)
{
    const png_structp png = reading->png;
    const png_infop info = reading->info;
    struct shape shape;
    enum status status;

    png_set_read_fn(png, reading, read_bytes);
    png_set_user_limits(png, INT_MAX, INT_MAX); /* image_reader_check_header checks */
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT); /* tRNS affects pixels too */
    png_read_info(png, info);
    png_palette_take(&reading->palette, png, info, reading->reader->as_stored);
    shape = png_converted_shape(png, info);
    reading->chunks.samples.rows_left =
        png_filtered_bytes(shape.width, shape.height, png_pixel_bits(png, info),
                           png_get_interlace_type(png, info) != PNG_INTERLACE_NONE);
    status = check_header(reading, &shape, reading->trouble.error);
    if (status == STATUS_OK)
        status = convert_metadata(reading);
    if (status != STATUS_OK)
        return status;
    choose_pixels(reading, &shape, header);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    reading->passes = png_set_interlace_handling(png);
    trust_samples(png);
    png_plain_open(&reading->unfilter, png, info, reading->reader->as_stored);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != image_row_bytes(header))
        png_error(png, "internal error: libpng's rows do not have the declared length");
    return STATUS_OK;
}

static void drop_png(void *state)
{
    struct reading *reading = state;

    png_destroy_read_struct(&reading->png, &reading->info, NULL);
    png_samples_drop(&reading->chunks.samples);
    unfilter_close(&reading->unfilter);
}

static enum status open_libpng(struct reading *reading, struct image *header)
{
    const struct png_trouble *trouble = &reading->trouble;

    reading->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading->trouble,
                                          png_trouble_error, png_trouble_warning);
    if (reading->png)
        reading->info = png_create_info_struct(reading->png);
    if (!reading->info)
        return fail(trouble->error, STATUS_INPUT, "%s: no memory for libpng", trouble->name);
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    return read_header(reading, header);
}

static enum status open_png(struct image_reader *reader, struct image *header, struct error *error)
{
    struct reading *reading = reader->reading;
    enum status status;

    reading->reader = reader;
    png_chunks_begin(&reading->chunks, reader);
    reading->trouble = (struct png_trouble){reader->name, STATUS_INPUT, error, &reader->metadata};
    status = open_libpng(reading, header);
    reader->order = reading->passes > 1 ? ROWS_AT_ONCE : ROWS_IN_ORDER;
    return status;
}

static enum status read_png(const struct image_reader *reader, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    struct reading *reading = reader->reading;

    (void)first;
    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    if (reading->unfilter.memory)
        return png_plain_read(&reading->unfilter, &reading->chunks.samples, reading->png, count,
                              image, to, error);
    for (int pass = 0; pass < reading->passes; pass++)
        for (int64_t y = 0; y < count; y++)
            png_read_row(reading->png, image_row(image, to + y), NULL);
    return STATUS_OK;
}

/* Reads the chunks after the samples. */
static enum status finish_png(struct image_reader *reader, struct error *error)
{
    struct reading *reading = reader->reading;

    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    png_set_crc_action(reading->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_end(reading->png, reading->info);
    png_palette_note(&reading->palette, &reader->metadata.faults);
    return STATUS_OK;
}

/* A PNG file holds one image. Other bytes after it are not read, but noted. */
static enum status more_png(struct image_reader *reader, bool *more, struct error *error)
{
    (void)error;
    *more = false;
    image_reader_note_rest(reader, "another PNG image after the end, not read");
    return STATUS_OK;
}

const struct codec codec_png = {
    .name = "PNG",
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
