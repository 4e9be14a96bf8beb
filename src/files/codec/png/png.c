/* SPDX-License-Identifier: MIT */
/* Reading PNG through libpng's row interface: every colour type and depth, interlaced or not. What
 * comes out has 8 or 16 bits: palettes become RGB, a colour marked as transparent becomes alpha,
 * and grey of 1, 2 and 4 bits is stretched to 8. */
#include "codec_png.h"
#include "codec_png_chunks.h"
#include "codec_png_known.h"
#include "codec_png_palette.h"
#include "codec_png_row.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE_BYTES 8
#define DEFLATE_MAX_RATIO 1032 /* no byte of deflate makes more bytes than this */

void png_trouble_error(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);

    fail(trouble->error, trouble->status, "%s: %s", trouble->name, text);
    png_longjmp(png, 1);
}

/* "tRNS: invalid" means that libpng leaves this chunk out; without a name, that it does not. */
void png_trouble_warning(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);
    char name[5];

    if (!trouble->metadata)
        return;
    snprintf(name, sizeof name, "%s", text);
    if (strlen(text) > 6 && memcmp(text + 4, ": ", 2) == 0)
        metadata_note(&trouble->metadata->damaged, name, text + 6);
    else
        metadata_note(&trouble->metadata->faults, NULL, text);
}

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= SIGNATURE_BYTES && png_sig_cmp(head, 0, SIGNATURE_BYTES) == 0;
}

/* An image in work. libpng jumps back into whichever function has called it last. */
struct reading {
    struct png_trouble trouble; /* its error is that of the call */
    const struct source *source;
    struct png_chunks chunks;
    struct png_palette palette;
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

/* The shape after png_set_expand, by the header alone: nothing is allocated yet. */
static struct shape promised_shape(const struct reading *reading)
{
    const int colour = png_get_color_type(reading->png, reading->info);
    const bool key = png_get_valid(reading->png, reading->info, PNG_INFO_tRNS) != 0;
    const bool alpha = key || (colour & PNG_COLOR_MASK_ALPHA) != 0;

    return (struct shape){
        .width = png_get_image_width(reading->png, reading->info),
        .height = png_get_image_height(reading->png, reading->info),
        .channels = ((colour & PNG_COLOR_MASK_COLOR) ? 3 : 1) + (alpha ? 1 : 0),
        .maxval = png_get_bit_depth(reading->png, reading->info) == 16 ? 65535 : 255,
    };
}

/* Of a pixel in the file. */
static int file_bits(const struct reading *reading)
{
    return png_get_bit_depth(reading->png, reading->info) *
           png_get_channels(reading->png, reading->info);
}

static enum status check_promise(const struct reading *reading, const struct shape *shape,
                                 struct error *error)
{
    return source_check_promise(reading->source, shape,
                                (double)shape->width * file_bits(reading) / DEFLATE_MAX_RATIO,
                                error);
}

/* Metadata in terms of the file's samples, before png_set_expand. Called inside libpng's jump. */
static enum status fit_metadata(struct reading *reading)
{
    const png_structp png = reading->png;
    const struct png_file_samples samples = {
        .colour = png_get_color_type(png, reading->info),
        .depth = png_get_bit_depth(png, reading->info),
        .alpha_comes = png_get_valid(png, reading->info, PNG_INFO_tRNS) != 0,
        .palette = &reading->palette,
    };

    if (png_known_fit(reading->trouble.metadata, &samples))
        return STATUS_OK;
    return fail(reading->trouble.error, STATUS_INPUT, "%s: no memory for its metadata",
                reading->trouble.name);
}

/* libpng gets sound chunks of samples from here on: their checksums cost it time. */
static void trust_samples(png_structp png)
{
    png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_NO_CHANGE);
    png_set_compression_buffer_size(png, PNG_SAMPLES_BLOCK_BYTES);
#ifdef PNG_IGNORE_ADLER32
    png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
}

/* Called inside libpng's jump: may be left at any call of libpng. */
static enum status read_header(struct reading *reading, struct image *about)
{
    const png_structp png = reading->png;
    const png_infop info = reading->info;
    struct shape shape;
    enum status status;

    png_set_read_fn(png, reading, read_bytes);
    png_set_user_limits(png, INT_MAX, INT_MAX);                      /* ours is --max-pixels */
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT); /* tRNS makes pixels too */
    png_read_info(png, info);
    png_palette_take(&reading->palette, png, info);
    shape = promised_shape(reading);
    png_samples_expect(&reading->chunks.samples,
                       png_filtered_bytes(shape.width, shape.height, file_bits(reading),
                                          png_get_interlace_type(png, info) != PNG_INTERLACE_NONE));
    status = check_promise(reading, &shape, reading->trouble.error);
    if (status == STATUS_OK)
        status = fit_metadata(reading);
    if (status != STATUS_OK)
        return status;
    image_describe(about, &shape);
    about->format = FORMAT_PNG;
    if (reading->palette.size == 0)
        png_set_expand(png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    reading->passes = png_set_interlace_handling(png);
    trust_samples(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != image_row_bytes(about))
        png_error(png, "libpng's rows have another length than the header promises");
    return STATUS_OK;
}

static void drop_png(struct source *source)
{
    struct reading *reading = source->reading;

    png_destroy_read_struct(&reading->png, &reading->info, NULL);
    png_chunks_drop(&reading->chunks);
    free(reading);
    source->reading = NULL;
}

static enum status open_libpng(struct reading *reading, struct image *about)
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
    return read_header(reading, about);
}

static enum status open_png(struct source *source, struct image *about, struct error *error)
{
    struct reading *reading = calloc(1, sizeof *reading);
    enum status status;

    if (!reading)
        return fail(error, STATUS_INPUT, "%s: no memory to read it", source->name);
    source->reading = reading;
    reading->source = source;
    png_chunks_begin(&reading->chunks, source);
    reading->trouble = (struct png_trouble){source->name, STATUS_INPUT, error, &source->metadata};
    status = open_libpng(reading, about);
    source->order = reading->passes > 1 ? ROWS_AT_ONCE : ROWS_IN_ORDER;
    if (status != STATUS_OK)
        drop_png(source);
    return status;
}

static enum status read_png(const struct source *source, int64_t first, int64_t count,
                            const struct image *image, int64_t to, struct error *error)
{
    struct reading *reading = source->reading;

    (void)first;
    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    for (int pass = 0; pass < reading->passes; pass++)
        for (int64_t y = 0; y < count; y++)
            png_read_row(reading->png, image_row(image, to + y), NULL);
    return STATUS_OK;
}

/* The chunks at the end are part of the image. */
static enum status finish_png(struct source *source, struct error *error)
{
    struct reading *reading = source->reading;

    reading->trouble.error = error;
    if (setjmp(png_jmpbuf(reading->png)) != 0)
        return STATUS_INPUT;
    png_set_crc_action(reading->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_read_end(reading->png, reading->info);
    png_palette_note(&reading->palette, &source->metadata.faults);
    return STATUS_OK;
}

/* A PNG file holds one image; what follows its end is left alone, as by every reader, but named. */
static enum status more_png(struct source *source, bool *more, struct error *error)
{
    unsigned char head[SOURCE_HEAD_BYTES];
    const size_t bytes = source_peek(source, head);

    (void)error;
    *more = false;
    if (recognises(head, bytes))
        metadata_note(&source->metadata.faults, NULL, "another PNG image after the end, not read");
    else if (bytes > 0)
        metadata_note(&source->metadata.faults, NULL, "other bytes after the end, not read");
    return STATUS_OK;
}

const char *codec_png_version(void)
{
    return png_get_libpng_ver(NULL);
}

const struct codec codec_png = {
    .name = "PNG",
    .recognises = recognises,
    .open = open_png,
    .read = read_png,
    .finish = finish_png,
    .drop = drop_png,
    .more = more_png,
    .wants = png_codec_wants,
    .begin = png_codec_begin,
    .put = png_codec_put,
    .end = png_codec_end,
    .discard = png_codec_discard,
    .fits = png_codec_fits,
};
