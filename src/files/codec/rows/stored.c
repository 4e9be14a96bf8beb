/* SPDX-License-Identifier: MIT */
#include "src/files/codec/rows/stored.h"

#include "kernels/common/sample.h"

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

/* The colour of an index: opaque black beyond the palette, as png/palette.c has it. */
static void put_colour(const struct stored_pixels *stored, uint32_t index, uint8_t *bytes)
{
    for (int c = 0; c < 3; c++)
        bytes[c] = stored->palette[3 * index + (uint32_t)c];
    if (stored->channels == 4)
        bytes[3] = (int)index < stored->transparency_bytes ? stored->transparency[index] : 255;
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

/* Pixel i, grey or RGB, with alpha if one colour is transparent. */
static void put_samples(const struct stored_pixels *stored, const void *pixels, size_t i,
                        int samples, uint8_t *bytes)
{
    bool transparent = true;

    for (int c = 0; c < samples; c++) {
        const uint32_t sample =
            row_get(pixels, sample_bytes_of(stored->maxval), (int64_t)i * samples + c);
        const uint8_t *key = stored->transparency + 2 * c;

        transparent = transparent && sample == ((uint32_t)key[0] << 8 | key[1]);
        put_sample(stored, c, sample * (stored->converted / stored->maxval), bytes);
    }
    if (samples < stored->channels)
        put_sample(stored, samples, transparent ? 0 : stored->converted, bytes);
}

void stored_convert(const struct stored_pixels *stored, const void *pixels, size_t count,
                    uint8_t *bytes)
{
    const int samples = stored->channels < 3 ? 1 : 3;
    const size_t step = stored_pixel_bytes(stored);

    for (size_t i = 0; i < count; i++, bytes += step)
        if (stored->indexed)
            put_colour(stored, ((const uint8_t *)pixels)[i], bytes);
        else
            put_samples(stored, pixels, i, samples, bytes);
}
