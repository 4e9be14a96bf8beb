/* SPDX-License-Identifier: MIT */
/* Writing PNG. The bytes depend on nothing but the image and the options: no time, no program name.
 */
#include "codec_png.h"

#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <zlib.h> /* Z_RLE */

#define CHUNK_BYTES (1 << 16) /* compressed bytes in an IDAT chunk */

/* An image in work. libpng jumps back into whichever function has called it last. */
struct writing {
    struct png_trouble trouble; /* its error is that of the call */
    struct sink *sink;
    struct image about; /* without samples */
    png_structp png;
    png_infop info;
    int depth;       /* bits of a sample in the file */
    uint32_t full;   /* the file's own maxval: 2^depth - 1 */
    void *stretched; /* owned: a row of --scale, or NULL */
};

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    const struct writing *writing = png_get_io_ptr(png);

    if (sink_write(writing->sink, bytes, count, writing->trouble.error) != STATUS_OK)
        png_longjmp(png, 1);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* PNG has grey of 1, 2 and 4 bits, which hold maxvals of 1, 3 and 15 as they are. */
static int depth_of(const struct image *image)
{
    if (image->view.channels == 1)
        for (int depth = 1; depth <= 4; depth *= 2)
            if (image->maxval == (1u << depth) - 1)
                return depth;
    return image->maxval > 255 ? 16 : 8;
}

static int colour_type_of(int32_t channels)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};

    return types[channels - 1];
}

static int bits_for(uint32_t maxval)
{
    int bits = 0;

    while (maxval >> bits)
        bits++;
    return bits;
}

/* Says that of the file's bits only the lowest hold the samples, which stand there unscaled. */
static void write_significant_bits(const struct writing *writing)
{
    const png_byte bits = (png_byte)bits_for(writing->about.maxval);
    const png_color_8 significant = {
        .red = bits, .green = bits, .blue = bits, .gray = bits, .alpha = bits};

    png_set_sBIT(writing->png, writing->info, &significant);
}

static const void *stretch(const struct writing *writing, const struct image *image, int64_t y)
{
    const uint32_t maxval = image->maxval, full = writing->full;
    const int64_t samples = image->view.width * image->view.channels;
    const void *row = image_row(image, y);

    if (image->view.sample_bytes == 1)
        for (int64_t i = 0; i < samples; i++)
            ((uint8_t *)writing->stretched)[i] =
                (uint8_t)((((const uint8_t *)row)[i] * full + maxval / 2) / maxval);
    else
        for (int64_t i = 0; i < samples; i++)
            ((uint16_t *)writing->stretched)[i] =
                (uint16_t)((((const uint16_t *)row)[i] * full + maxval / 2) / maxval);
    return writing->stretched;
}

/* Level 1 is not zlib's: smoothed pictures filtered by Paeth's rule have hardly any repetitions
 * left but runs, and looking for nothing but runs gives the size of level 6 in the time of level 1.
 * Packed samples are no bytes for Paeth, and what is only stored needs no filter. */
static void choose_compression(const struct writing *writing)
{
    const int level = writing->sink->options.png_level;

    png_set_compression_level(writing->png, level);
    if (level == 0) {
        png_set_filter(writing->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    } else if (level == 1 && writing->depth >= 8) {
        png_set_filter(writing->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
        png_set_compression_strategy(writing->png, Z_RLE);
    }
}

/* Called inside libpng's jump: may be left at any call of libpng. */
static void write_header(struct writing *writing)
{
    const png_structp png = writing->png;
    const struct image *about = &writing->about;

    png_set_write_fn(png, writing, write_bytes, flush_nothing);
    png_set_user_limits(png, INT_MAX, INT_MAX);
    choose_compression(writing);
    png_set_compression_buffer_size(png, CHUNK_BYTES);
    png_set_IHDR(png, writing->info, (png_uint_32)about->view.width,
                 (png_uint_32)about->view.height, writing->depth,
                 colour_type_of(about->view.channels), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (about->maxval != writing->full && !writing->stretched)
        write_significant_bits(writing);
    png_write_info(png, writing->info);
    if (writing->depth < 8)
        png_set_packing(png);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && writing->depth == 16)
        png_set_swap(png);
}

enum status png_codec_fits(const struct sink *sink, const struct image *image, struct error *error)
{
    if (sink->images > 0)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: a PNG file holds one image, and the input has several; name the output "
                    ".pgm, .ppm or .pam",
                    sink->name);
    if (image->view.channels > 4)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: PNG holds 1 to 4 channels, and the image has %d; name the output .pam",
                    sink->name, (int)image->view.channels);
    if (image->view.width > INT_MAX || image->view.height > INT_MAX)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: PNG holds sides of up to %d, and the image has %lld x %lld pixels; name "
                    "the output .pam",
                    sink->name, INT_MAX, (long long)image->view.width,
                    (long long)image->view.height);
    return STATUS_OK;
}

static enum status open_libpng(struct writing *writing)
{
    const struct png_trouble *trouble = &writing->trouble;

    writing->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing->trouble,
                                           png_trouble_error, png_trouble_warning);
    if (writing->png)
        writing->info = png_create_info_struct(writing->png);
    if (!writing->info)
        return fail(trouble->error, STATUS_OUTPUT, "%s: no memory for libpng", trouble->name);
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    write_header(writing);
    return STATUS_OK;
}

enum status png_codec_begin(struct sink *sink, const struct image *about, struct error *error)
{
    const int depth = depth_of(about);
    struct writing *writing = calloc(1, sizeof *writing);

    if (!writing)
        return fail(error, STATUS_OUTPUT, "%s: no memory to write it", sink->name);
    sink->writing = writing;
    sink->order = ROWS_IN_ORDER;
    writing->trouble = (struct png_trouble){sink->name, STATUS_OUTPUT, error};
    writing->sink = sink;
    writing->about = *about;
    writing->depth = depth;
    writing->full = (1u << depth) - 1;
    if (sink->options.scale && about->maxval != writing->full) {
        writing->stretched = malloc(image_row_bytes(about));
        if (!writing->stretched)
            return fail(error, STATUS_OUTPUT, "%s: no memory for a row", sink->name);
    }
    return open_libpng(writing);
}

enum status png_codec_put(struct sink *sink, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error)
{
    struct writing *writing = sink->writing;

    (void)first;
    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    for (int64_t y = from; y < from + count; y++)
        png_write_row(writing->png,
                      writing->stretched ? stretch(writing, image, y) : image_row(image, y));
    return STATUS_OK;
}

enum status png_codec_end(struct sink *sink, struct error *error)
{
    struct writing *writing = sink->writing;

    writing->trouble.error = error;
    if (setjmp(png_jmpbuf(writing->png)) != 0)
        return STATUS_OUTPUT;
    png_write_end(writing->png, NULL);
    return STATUS_OK;
}

void png_codec_discard(struct sink *sink)
{
    struct writing *writing = sink->writing;

    png_destroy_write_struct(&writing->png, &writing->info);
    free(writing->stretched);
    free(writing);
    sink->writing = NULL;
}
