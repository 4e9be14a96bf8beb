/* SPDX-License-Identifier: MIT */
/* Makes PNG files of every kind with libpng, and compares what is read with the expected samples.
 * Also checks the headers of written files. */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <png.h>
#include <string.h>

enum { MOST_WIDTH = 33, MOST_HEIGHT = 18 };

struct kind {
    int colour, depth;
    bool key;         /* has a tRNS chunk: the alphas of a palette, or one transparent colour */
    int file_samples; /* samples in a pixel of the file */
};

static int width, height; /* of the file */

static uint32_t file_sample(const struct kind *kind, int y, int i)
{
    const uint32_t mask = (1u << kind->depth) - 1;

    return (uint32_t)(y * 2971 + i * 40503 + y * i * 7) & mask;
}

/* Packs samples as in PNG, the high bits and bytes first. */
static void pack_row(const struct kind *kind, int y, png_byte *row)
{
    memset(row, 0, MOST_WIDTH * 8);
    for (int i = 0; i < width * kind->file_samples; i++) {
        const uint32_t value = file_sample(kind, y, i);
        const int bit = i * kind->depth;

        if (kind->depth == 16) {
            row[2 * i] = (png_byte)(value >> 8);
            row[2 * i + 1] = (png_byte)value;
        } else {
            row[bit / 8] = (png_byte)(row[bit / 8] | value << (8 - kind->depth - bit % 8));
        }
    }
}

/* Returns how many entries of a palette have an alpha; the others are opaque. */
static int alphas_of(const struct kind *kind)
{
    return kind->depth == 1 ? 1 : (1 << kind->depth) - 2;
}

/* Writes a tRNS chunk: the alphas of a palette, or the colour of the first pixel as the transparent
 * one. */
static void set_key(png_structp png, png_infop info, const struct kind *kind)
{
    const png_color_16 colour = {.gray = (png_uint_16)file_sample(kind, 0, 0),
                                 .red = (png_uint_16)file_sample(kind, 0, 0),
                                 .green = (png_uint_16)file_sample(kind, 0, 1),
                                 .blue = (png_uint_16)file_sample(kind, 0, 2)};
    png_byte alphas[256];

    for (int i = 0; i < 256; i++)
        alphas[i] = (png_byte)(255 - i);
    if (kind->colour == PNG_COLOR_TYPE_PALETTE)
        png_set_tRNS(png, info, alphas, alphas_of(kind), NULL);
    else
        png_set_tRNS(png, info, NULL, 0, &colour);
}

static void write_png(const char *path, const struct kind *kind, bool interlaced)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_byte rows[MOST_HEIGHT][MOST_WIDTH * 8];
    png_bytep pointers[MOST_HEIGHT];
    png_color palette[256];
    FILE *file = fopen(path, "wb");

    NEED(png && info && file && setjmp(png_jmpbuf(png)) == 0);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, kind->depth, kind->colour,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    for (int i = 0; i < 256; i++)
        palette[i] = (png_color){(png_byte)i, (png_byte)(i ^ 85), (png_byte)(200 - i)};
    if (kind->colour == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 1 << kind->depth);
    if (kind->key)
        set_key(png, info, kind);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) {
        pack_row(kind, y, rows[y]);
        pointers[y] = rows[y];
    }
    png_write_image(png, pointers);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

/* Returns channel c of pixel (x, y) as it must be read. */
static uint32_t expected(const struct kind *kind, int y, int x, int c)
{
    const uint32_t full = kind->depth == 16 ? 65535 : 255;
    const int first = x * kind->file_samples;
    const uint32_t index = file_sample(kind, y, first);
    const uint32_t alpha = (int)index < alphas_of(kind) ? 255 - index : 255;
    const uint32_t from_palette[] = {index, index ^ 85, (200 - index) & 255, alpha};

    if (kind->colour == PNG_COLOR_TYPE_PALETTE)
        return from_palette[c];
    if (c < kind->file_samples)
        return file_sample(kind, y, first + c) * full / ((1u << kind->depth) - 1);
    for (int i = 0; i < kind->file_samples; i++)
        if (file_sample(kind, y, first + i) != file_sample(kind, 0, i))
            return full;
    return 0;
}

/* Returns how many of the image's samples are not as expected. */
static long count_differences(const struct kind *kind, const struct image *image)
{
    const int channels =
        (kind->colour == PNG_COLOR_TYPE_PALETTE ? 3 : kind->file_samples) + kind->key;
    long differences = image->view.channels != channels;

    for (int y = 0; y < height && differences == 0; y++)
        for (int i = 0; i < width * channels; i++)
            differences +=
                image_sample(image, y, i) != expected(kind, y, i / channels, i % channels);
    return differences;
}

static void check_kind(const struct kind *kind, bool interlaced)
{
    const char *path = scratch_path("kind.png");
    const int channels =
        (kind->colour == PNG_COLOR_TYPE_PALETTE ? 3 : kind->file_samples) + kind->key;
    struct image image;
    struct error error = {STATUS_OK, ""};
    long differences;
    int count;

    write_png(path, kind, interlaced);
    CHECK(is_recognised(path), "%s", path);
    CHECK(load(path, &image, &count, &error) == STATUS_OK && count == 1, "%s", error.text);
    CHECK(image.view.channels == channels && image.view.width == width &&
              image.view.height == height && image.format == FORMAT_PNG &&
              image.maxval == (kind->depth == 16 ? 65535 : 255),
          "%d x %d, colour type %d, depth %d: %d channels, maxval %u", width, height, kind->colour,
          kind->depth, (int)image.view.channels, image.maxval);
    differences = count_differences(kind, &image);
    CHECK(differences == 0, "%d x %d, colour type %d, depth %d, tRNS %d, interlaced %d: %ld differ",
          width, height, kind->colour, kind->depth, kind->key, interlaced, differences);
    image_free(&image);
}

static void test_kinds(void)
{
    static const struct kind kinds[] = {
        {PNG_COLOR_TYPE_GRAY, 1, false, 1},       {PNG_COLOR_TYPE_GRAY, 2, false, 1},
        {PNG_COLOR_TYPE_GRAY, 4, false, 1},       {PNG_COLOR_TYPE_GRAY, 8, false, 1},
        {PNG_COLOR_TYPE_GRAY, 16, false, 1},      {PNG_COLOR_TYPE_GRAY, 1, true, 1},
        {PNG_COLOR_TYPE_GRAY, 2, true, 1},        {PNG_COLOR_TYPE_GRAY, 4, true, 1},
        {PNG_COLOR_TYPE_GRAY, 8, true, 1},        {PNG_COLOR_TYPE_GRAY, 16, true, 1},
        {PNG_COLOR_TYPE_GRAY_ALPHA, 8, false, 2}, {PNG_COLOR_TYPE_GRAY_ALPHA, 16, false, 2},
        {PNG_COLOR_TYPE_RGB, 8, false, 3},        {PNG_COLOR_TYPE_RGB, 16, false, 3},
        {PNG_COLOR_TYPE_RGB, 8, true, 3},         {PNG_COLOR_TYPE_RGB, 16, true, 3},
        {PNG_COLOR_TYPE_RGB_ALPHA, 8, false, 4},  {PNG_COLOR_TYPE_RGB_ALPHA, 16, false, 4},
        {PNG_COLOR_TYPE_PALETTE, 1, false, 1},    {PNG_COLOR_TYPE_PALETTE, 2, false, 1},
        {PNG_COLOR_TYPE_PALETTE, 4, false, 1},    {PNG_COLOR_TYPE_PALETTE, 8, false, 1},
        {PNG_COLOR_TYPE_PALETTE, 1, true, 1},     {PNG_COLOR_TYPE_PALETTE, 2, true, 1},
        {PNG_COLOR_TYPE_PALETTE, 4, true, 1},     {PNG_COLOR_TYPE_PALETTE, 8, true, 1},
    };

    /* Sizes with incomplete rows in every pass of Adam7, with passes that are empty, and with
     * several rows in each pass. */
    static const int sizes[][2] = {{13, 11}, {1, 1}, {3, 2}, {2, 5}, {MOST_WIDTH, MOST_HEIGHT}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        width = sizes[i][0], height = sizes[i][1];
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int interlaced = 0; interlaced <= 1; interlaced++)
                check_kind(&kinds[k], interlaced);
    }
}

/* Returns the file's bit depth. There must be no sBIT chunk, whatever the maxval: readers would
 * shift samples to the right by it. */
static int read_depth(const char *path)
{
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *file = fopen(path, "rb");
    int depth;

    NEED(png && info && file && setjmp(png_jmpbuf(png)) == 0);
    png_init_io(png, file);
    png_read_info(png, info);
    CHECK(png_get_valid(png, info, PNG_INFO_sBIT) == 0, "%s: an sBIT chunk", path);
    depth = png_get_bit_depth(png, info);
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
    return depth;
}

static void check_depths(uint32_t maxval, int32_t channels, bool scale, int want_depth)
{
    struct image image = scratch_image(20, 5, channels, maxval, 0, 3), back;
    const struct image *const images[] = {&image};
    const struct write_options options = {.scale = scale, .png_level = 1};
    const char *path = scratch_path("depth.png");
    const uint64_t full = want_depth == 16 ? 65535 : 255;
    struct error error;
    long differences = 0;
    int depth, count;

    NEED(store(path, FORMAT_PNG, options, images, 1, &error) == STATUS_OK);
    depth = read_depth(path);
    CHECK(depth == want_depth, "maxval %u, %d channels: depth %d", maxval, (int)channels, depth);
    NEED(load(path, &back, &count, &error) == STATUS_OK);
    for (int y = 0; y < 5 && scale; y++)
        for (int i = 0; i < 20 * channels; i++)
            differences += image_sample(&back, y, i) !=
                           (image_sample(&image, y, i) * full + maxval / 2) / maxval;
    CHECK(differences == 0, "maxval %u, scaled: %ld differ", maxval, differences);
    image_free(&image);
    image_free(&back);
}

static void test_depths(void)
{
    check_depths(1, 1, false, 1);
    check_depths(3, 1, true, 2);
    check_depths(15, 1, false, 4);
    check_depths(255, 1, false, 8);
    check_depths(65535, 1, true, 16);
    check_depths(1, 3, false, 8);
    check_depths(1, 3, true, 8);
    check_depths(2, 1, false, 8);
    check_depths(100, 1, false, 8);
    check_depths(100, 4, true, 8);
    check_depths(256, 1, false, 16);
    check_depths(4095, 2, false, 16);
    check_depths(4095, 2, true, 16);
}

int main(void)
{
    scratch_make();
    test_kinds();
    test_depths();
    return unit_result();
}
