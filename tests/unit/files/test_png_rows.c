/* SPDX-License-Identifier: MIT */
/* PNG files whose rows have every filter, written by libpng in IDAT chunks of any length: read some
 * rows at a time, they have the samples that were written; and a bad filter ends the reading, with
 * the words of libpng, whoever reads the rows. */
#include "tests/unit/files/codec_io.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <png.h>
#include <string.h>
#include <zlib.h>

enum { MAX_HEIGHT = 67, MAX_ROW = 8 * 1000 };

struct kind {
    int colour, depth, channels;
};

static const struct kind kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 8, 1},       {PNG_COLOR_TYPE_GRAY, 16, 1},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 2}, {PNG_COLOR_TYPE_GRAY_ALPHA, 16, 2},
    {PNG_COLOR_TYPE_RGB, 8, 3},        {PNG_COLOR_TYPE_RGB, 16, 3},
    {PNG_COLOR_TYPE_RGB_ALPHA, 8, 4},  {PNG_COLOR_TYPE_RGB_ALPHA, 16, 4},
};

static uint8_t rows[MAX_HEIGHT][MAX_ROW];

/* Slopes with noise, steps, noise: so that every filter has its use. */
static void draw_rows(int height, size_t bytes)
{
    for (int y = 0; y < height; y++)
        for (size_t i = 0; i < bytes; i++)
            rows[y][i] = (uint8_t)(y % 3 == 2 ? unit_draw(65535)
                                   : y % 3    ? (i / 29 % 2) * 255
                                              : (size_t)y * 3 + i * 2 + unit_draw(4));
}

/* mixed: each row has a filter of its own; else libpng chooses. */
static void write_file(const char *path, const struct kind *kind, int width, int height, bool mixed,
                       size_t chunk)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB, PNG_FILTER_UP, PNG_FILTER_AVG,
                                  PNG_FILTER_PAETH};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    FILE *file = fopen(path, "wb");

    NEED(png && info && file && setjmp(png_jmpbuf(png)) == 0);
    png_init_io(png, file);
    png_set_compression_buffer_size(png, chunk);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, kind->depth, kind->colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < height; y++) {
        if (mixed && y > 0) /* the first row may need no row above it, then libpng keeps none */
            png_set_filter(png, 0, filters[unit_draw(4)]);
        png_write_row(png, rows[y]);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static bool same_row(const struct image *image, int64_t y, const uint8_t *row)
{
    const size_t bytes = image_row_bytes(image);
    const uint16_t *samples = image_row(image, y);

    if (image->view.sample_bytes == 1)
        return memcmp(samples, row, bytes) == 0;
    for (size_t i = 0; i < bytes / 2; i++)
        if (samples[i] != (row[2 * i] << 8 | row[2 * i + 1]))
            return false;
    return true;
}

/* Reads `count` rows at a time. Returns how many differ, or -1 for an error. */
static long read_rows(const char *path, int64_t count, struct error *error)
{
    struct image_reader reader;
    struct image header, part;
    struct shape shape;
    bool found;
    long wrong = 0;
    enum status status;

    NEED(image_reader_open(&reader, path, TEST_MAX_PIXELS, error) == STATUS_OK &&
         image_reader_begin(&reader, &header, &found, error) == STATUS_OK);
    shape = image_shape(&header);
    shape.height = count;
    NEED(image_alloc(&part, &shape, 3, error) == STATUS_OK);
    status = STATUS_OK;
    for (int64_t y = 0; y < header.view.height && status == STATUS_OK; y += count) {
        const int64_t left = header.view.height - y, now = left < count ? left : count;

        status = image_reader_read(&reader, y, now, &part, 0, error);
        for (int64_t i = 0; i < now && status == STATUS_OK; i++)
            wrong += !same_row(&part, i, rows[y + i]);
    }
    if (status == STATUS_OK)
        status = image_reader_finish(&reader, error);
    if (status == STATUS_OK && reader.metadata.faults.text[0])
        status = fail(error, STATUS_INPUT, "%s", reader.metadata.faults.text);
    image_free(&part);
    image_reader_close(&reader);
    return status == STATUS_OK ? wrong : -1;
}

static void check(const struct kind *kind, int width, int height)
{
    static const size_t chunks[] = {6, 13, 300, 100000};
    static const int64_t counts[] = {1, 3, 16, MAX_HEIGHT};
    const char *path = scratch_path("rows.png");
    struct error error = {STATUS_OK, ""};

    draw_rows(height, (size_t)(width * kind->channels * kind->depth / 8));
    for (int turn = 0; turn < 4; turn++) {
        long wrong;

        write_file(path, kind, width, height, turn < 3, chunks[turn]);
        wrong = read_rows(path, counts[turn], &error);
        CHECK(wrong == 0, "%d x %d, %d channels of %d bits, %d rows at a time: %ld rows differ %s",
              width, height, kind->channels, kind->depth, (int)counts[turn], wrong, error.text);
    }
}

/* Writes a grey image with these filtered rows; key: with a transparent colour, which only libpng
 * reads. */
static void write_filtered(const char *path, int width, int height, bool key, const uint8_t *bytes)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    const png_color_16 colour = {.gray = 77};
    uLongf count = compressBound((uLong)((width + 1) * height));
    uint8_t *stream = malloc(count);
    FILE *file = fopen(path, "wb");

    NEED(png && info && file && stream && setjmp(png_jmpbuf(png)) == 0);
    NEED(compress(stream, &count, bytes, (uLong)((width + 1) * height)) == Z_OK);
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (key)
        png_set_tRNS(png, info, NULL, 0, &colour);
    png_write_info(png, info);
    png_write_chunk(png, (png_const_bytep) "IDAT", stream, count);
    png_write_chunk(png, (png_const_bytep) "IEND", NULL, 0);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    free(stream);
}

/* Of row y; 5 and more are none. */
static void check_filter(int filter, int y, bool key)
{
    const char *path = scratch_path("filter.png");
    uint8_t bytes[20 * 10] = {0};
    struct error error = {STATUS_OK, ""};
    struct image image;
    char want[300];
    int count;

    bytes[10 * y] = (uint8_t)filter;
    write_filtered(path, 9, 20, key, bytes);
    snprintf(want, sizeof want, "%s: bad adaptive filter value", path);
    CHECK((load(path, 0, &image, &count, &error) == STATUS_OK) == (filter < 5),
          "filter %d of row %d: %s", filter, y, error.text);
    CHECK(filter < 5 || strcmp(error.text, want) == 0, "%s", error.text);
    image_free(&image);
}

static void test_bad_filters(void)
{
    static const int filters[] = {4, 5, 6, 128, 255};

    for (int key = 0; key <= 1; key++)
        for (int y = 0; y < 20; y += 6)
            for (int f = 0; f < 5; f++)
                check_filter(filters[f], y, key);
}

int main(void)
{
    static const int widths[] = {1, 2, 3, 5, 8, 15, 16, 17, 33, 100, 1000};
    static const int heights[] = {1, 2, 5, 15, 16, 17, 33, MAX_HEIGHT};

    scratch_make();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (size_t h = 0; h < sizeof heights / sizeof *heights; h++)
                check(&kinds[k], widths[w], heights[h]);
    test_bad_filters();
    return unit_result();
}
