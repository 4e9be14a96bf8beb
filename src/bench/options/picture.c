/* SPDX-License-Identifier: MIT */
#include "src/bench/options/picture.h"

#include "src/files/codec/codec.h"
#include "src/files/output/output.h"
#include "kernels/common/parallel.h"
#include "kernels/common/sample.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PIXELS ((int64_t)1 << 34)

/* Returns the counter's hash by splitmix64 (Steele, Lea, Flood 2014). The hashes look random, and
 * are the same on every machine. */
static uint64_t hash(uint64_t counter)
{
    uint64_t z = counter * 0x9e3779b97f4a7c15 + 0xbf58476d1ce4e5b9;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A painter returns the value of one sample, 0..65535. */
typedef uint32_t painter(const struct view *view, int64_t y, int64_t x, int32_t channel);

static uint32_t paint_noise(const struct view *view, int64_t y, int64_t x, int32_t channel)
{
    return (uint32_t)(hash((uint64_t)((y * view->width + x) * view->channels + channel)) >> 48);
}

static uint32_t paint_chequer(const struct view *view, int64_t y, int64_t x, int32_t channel)
{
    (void)view;
    return ((x + y + channel) & 1) != 0 ? 65535 : 0;
}

/* Returns value noise, 0..65535, at a pixel: random values at the corners of square cells,
 * interpolated within the cells. `cell` is the width of a cell in pixels, a power of two. */
static int64_t lattice(int64_t cell, int64_t y, int64_t x)
{
    const int64_t row = y / cell, column = x / cell;
    const int64_t down = y % cell, right = x % cell;
    int64_t corners[4];

    for (int i = 0; i < 4; i++)
        corners[i] = (int64_t)(hash((uint64_t)(((row + i / 2) << 32) + (column + i % 2) * 64 +
                                               __builtin_ctzll((unsigned long long)cell))) >>
                               48);
    return ((corners[0] * (cell - right) + corners[1] * right) * (cell - down) +
            (corners[2] * (cell - right) + corners[3] * right) * down) /
           (cell * cell);
}

/* Returns fractal noise, 0..65535: a weighted sum of lattices. The cells of the first lattice are
 * `widest` pixels wide; each further lattice has cells half as wide, and half the weight. */
static int64_t clouds(int64_t y, int64_t x, int64_t widest)
{
    int64_t sum = 0, weight = 32;

    for (int64_t cell = widest; weight > 0 && cell > 0; cell /= 2, weight /= 2)
        sum += weight * lattice(cell, y, x);
    return sum / 64;
}

/* Paints a sky that darkens upwards, with a sun; hills with a sharp edge; and a camera's noise. */
static uint32_t paint_photo(const struct view *view, int64_t y, int64_t x, int32_t channel)
{
    const int64_t ridge = view->height / 2 + view->height * clouds(0, x, 512) / 65536 / 3;
    const int64_t from_x = x - view->width * 3 / 4, from_y = y - view->height / 5;
    const int64_t radius = view->height / 12;
    const int64_t noise = (int64_t)(paint_noise(view, y, x, channel) >> 6) - 512;
    int64_t value;

    if (y > ridge)
        value = 8000 + clouds(y, x, 64) / 2;
    else if (from_x * from_x + from_y * from_y < radius * radius)
        value = 63000;
    else
        value = 20000 + 25000 * y / view->height + clouds(y, x + 7777 * channel, 512) / 4;
    value += noise;
    return value < 0 ? 0 : value > 65535 ? 65535 : (uint32_t)value;
}

static const struct {
    const char *word;
    painter *paint;
} pictures[] = {{"noise", paint_noise}, {"chequer", paint_chequer}, {"photo", paint_photo}};

static painter *painter_of(const char *word)
{
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (strcmp(pictures[i].word, word) == 0)
            return pictures[i].paint;
    return NULL;
}

bool picture_is_made(const char *word)
{
    return painter_of(word) != NULL;
}

struct canvas {
    const struct image *image;
    painter *paint;
};

/* Converts a value in 0..65535 to an integer sample of 1 or 2 bytes, or to the bits of a float in
 * 0..1. */
static uint32_t sample_of(const struct view *view, uint32_t value)
{
    const float real = (float)value / 65535;
    uint32_t bits;

    if (view->sample_bytes < 4)
        return view->sample_bytes == 1 ? value >> 8 : value;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void paint_rows(const void *context, int band, int64_t first, int64_t last)
{
    const struct canvas *canvas = context;
    const struct view *view = &canvas->image->view;

    (void)band;
    for (int64_t y = first; y < last; y++)
        for (int64_t x = 0; x < view->width; x++)
            for (int32_t c = 0; c < view->channels; c++)
                sample_set(view, y, x, c, sample_of(view, canvas->paint(view, y, x, c)));
}

static enum status read_file(const char *path, struct image *image, struct error *error)
{
    const struct image plain = {.format = FORMAT_PGM};
    struct image_reader reader;
    struct image header;
    bool found;
    enum status status = image_reader_open(&reader, path, MAX_PIXELS, error);

    if (status != STATUS_OK && !strpbrk(path, "./"))
        return fail(error, STATUS_INPUT,
                    "%s: there is neither a picture nor a file of that name; pictures are noise, "
                    "chequer and photo",
                    path);
    if (status != STATUS_OK)
        return status;
    *image = (struct image){0};
    status = image_reader_begin(&reader, &header, &found, error);
    if (status == STATUS_OK)
        status = image_reader_load(&reader, &header, 1, NULL, image, error);
    image_reader_close(&reader);
    /* drops the pointer to the metadata, which the reader has freed */
    image_copy_kind(image, &plain);
    return status;
}

enum status picture_make(const char *word, const struct shape *shape, int threads,
                         struct image *image, struct error *error)
{
    const struct canvas canvas = {image, painter_of(word)};
    enum status status =
        canvas.paint ? image_alloc(image, shape, error) : read_file(word, image, error);

    if (status == STATUS_OK && canvas.paint)
        parallel_rows(threads, shape->height, paint_rows, &canvas);
    return status;
}

enum status picture_save(const struct image *image, const char *path, struct error *error)
{
    const char *extension = format_extension(path);
    struct image_writer writer = {.format = format_natural(image),
                                  .options = {.png_level = PNG_LEVEL_DEFAULT}};
    struct output output;
    enum status status;

    if (extension && !format_of_extension(extension, image, &writer.format))
        return fail(error, STATUS_USAGE, "%s: cannot write .%s; supported: .pgm .ppm .pam .png",
                    path, extension);
    status = output_open(&output, path, false, error);
    if (status != STATUS_OK)
        return status;
    writer.file = output.file;
    writer.name = output.name;
    status = image_writer_put(&writer, image, error);
    if (status == STATUS_OK)
        return output_commit(&output, error);
    output_abandon(&output);
    return status;
}
