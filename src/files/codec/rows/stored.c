/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/stored.h"

struct shape stored_shape(const struct image *header)
{
    struct shape shape = image_shape(header);

    if (header->stored) {
        shape.channels = header->stored->channels;
        shape.maxval = header->stored->converted;
    }
    return shape;
}

size_t stored_pixel_bytes(const struct stored_pixels *stored)
{
    return (size_t)stored->channels * (stored->converted > 255 ? 2 : 1);
}

/* A pixel of the image in memory, as indices, or as grey or RGB. */
struct pixel {
    uint32_t samples[3];
};

static struct pixel pixel_at(const struct stored_pixels *stored, const void *pixels, size_t i,
                             int samples)
{
    struct pixel pixel;

    for (int c = 0; c < samples; c++) {
        const size_t at = i * (size_t)samples + (size_t)c;

        pixel.samples[c] =
            stored->maxval > 255 ? ((const uint16_t *)pixels)[at] : ((const uint8_t *)pixels)[at];
    }
    return pixel;
}

/* The colour of an index: opaque black beyond the palette, as png/palette.c has it. */
static void put_colour(const struct stored_pixels *stored, uint32_t index, uint8_t *bytes)
{
    for (int c = 0; c < 3; c++)
        bytes[c] = stored->palette[3 * index + (uint32_t)c];
    if (stored->channels == 4)
        bytes[3] = (int)index < stored->transparency_bytes ? stored->transparency[index] : 255;
}

/* Is this the transparent colour? */
static bool is_transparent(const struct stored_pixels *stored, const struct pixel *pixel,
                           int samples)
{
    bool same = true;

    for (int c = 0; c < samples; c++) {
        const uint8_t *key = stored->transparency + 2 * c;

        same = same && pixel->samples[c] == ((uint32_t)key[0] << 8 | key[1]);
    }
    return same;
}

/* Sample c of a converted pixel. */
static void put_sample(const struct stored_pixels *stored, int c, uint32_t sample, uint8_t *bytes)
{
    if (stored->converted > 255) {
        bytes[2 * c] = (uint8_t)sample;
        bytes[2 * c + 1] = (uint8_t)(sample >> 8);
    } else {
        bytes[c] = (uint8_t)sample;
    }
}

static void put_samples(const struct stored_pixels *stored, const struct pixel *pixel, int samples,
                        uint8_t *bytes)
{
    for (int c = 0; c < samples; c++)
        put_sample(stored, c, pixel->samples[c] * (stored->converted / stored->maxval), bytes);
    if (samples < stored->channels)
        put_sample(stored, samples, is_transparent(stored, pixel, samples) ? 0 : stored->converted,
                   bytes);
}

void stored_convert(const struct stored_pixels *stored, const void *pixels, size_t count,
                    uint8_t *bytes)
{
    const int samples = stored->indexed || stored->channels < 3 ? 1 : 3;
    const size_t step = stored_pixel_bytes(stored);

    for (size_t i = 0; i < count; i++, bytes += step) {
        const struct pixel pixel = pixel_at(stored, pixels, i, samples);

        if (stored->indexed)
            put_colour(stored, pixel.samples[0], bytes);
        else
            put_samples(stored, &pixel, samples, bytes);
    }
}
