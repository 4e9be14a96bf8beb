/* SPDX-License-Identifier: MIT */
/* Reading PNG through libpng's row interface: every colour type and depth, interlaced or not. What
 * comes out has 8 or 16 bits: palettes become RGB, a colour marked as transparent becomes alpha,
 * and grey of 1, 2 and 4 bits is stretched to 8. */
#include "codec_png.h"

#include <limits.h>
#include <setjmp.h>
#include <string.h>

#define SIGNATURE_BYTES 8
#define DEFLATE_MAX_RATIO 1032 /* no byte of deflate makes more bytes than this */

void png_trouble_error(png_structp png, png_const_charp text)
{
    const struct png_trouble *trouble = png_get_error_ptr(png);

    fail(trouble->error, trouble->status, "%s: %s", trouble->name, text);
    png_longjmp(png, 1);
}

void png_trouble_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static bool recognises(const unsigned char *head, size_t bytes)
{
    return bytes >= SIGNATURE_BYTES && png_sig_cmp(head, 0, SIGNATURE_BYTES) == 0;
}

/* Everything that the work inside libpng's jump shares with the outside. */
struct reading {
    struct png_trouble trouble;
    struct source *source;
    png_structp png;
    png_infop info;
    int64_t halo;
    struct image *image;
    enum status status; /* of what failed here, not in libpng */
};

static void read_bytes(png_structp png, png_bytep bytes, size_t count)
{
    const struct reading *reading = png_get_io_ptr(png);

    if (fread(bytes, 1, count, reading->source->file) == count)
        return;
    source_short(reading->source, "the middle of a chunk", reading->trouble.error);
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

static enum status make_image(const struct reading *reading)
{
    const struct shape shape = promised_shape(reading);
    const int file_bits = png_get_bit_depth(reading->png, reading->info) *
                          png_get_channels(reading->png, reading->info);
    const double min_bits_per_row = (double)shape.width * file_bits / DEFLATE_MAX_RATIO;

    return source_make_image(reading->source, &shape, min_bits_per_row, reading->halo,
                             reading->image, reading->trouble.error);
}

/* Called inside libpng's jump: may be left at any call of libpng. */
static void read_image(struct reading *reading)
{
    const png_structp png = reading->png;
    const png_infop info = reading->info;
    struct image *image = reading->image;
    int passes;

    png_set_read_fn(png, reading, read_bytes);
    png_set_user_limits(png, INT_MAX, INT_MAX); /* ours is --max-pixels */
    png_read_info(png, info);
    reading->status = make_image(reading);
    if (reading->status != STATUS_OK)
        return;
    image->format = FORMAT_PNG;
    png_set_expand(png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != image_row_bytes(image))
        png_error(png, "libpng's rows have another length than the header promises");
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < image->view.height; y++)
            png_read_row(png, image_row(image, y), NULL);
    png_read_end(png, NULL);
}

static enum status read_png(struct source *source, int64_t halo, struct image *image,
                            struct error *error)
{
    struct reading reading = {
        .trouble = {.name = source->name, .status = STATUS_INPUT, .error = error},
        .source = source,
        .halo = halo,
        .image = image,
        .status = STATUS_OK,
    };

    reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading.trouble, png_trouble_error,
                                         png_trouble_warning);
    if (reading.png)
        reading.info = png_create_info_struct(reading.png);
    if (!reading.info) {
        png_destroy_read_struct(&reading.png, NULL, NULL);
        return fail(error, STATUS_INPUT, "%s: no memory for libpng", source->name);
    }
    if (setjmp(png_jmpbuf(reading.png)) == 0)
        read_image(&reading);
    else
        reading.status = STATUS_INPUT;
    png_destroy_read_struct(&reading.png, &reading.info, NULL);
    if (reading.status != STATUS_OK)
        image_free(image);
    return reading.status;
}

/* A PNG file holds one image; what follows its end is ignored, as every reader does. */
static enum status more_png(struct source *source, bool *more, struct error *error)
{
    (void)source;
    (void)error;
    *more = false;
    return STATUS_OK;
}

const char *codec_png_version(void)
{
    return png_get_libpng_ver(NULL);
}

const struct codec codec_png = {
    .name = "PNG",
    .recognises = recognises,
    .read = read_png,
    .more = more_png,
    .write = png_codec_write,
    .fits = png_codec_fits,
};
