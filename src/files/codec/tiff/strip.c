/* SPDX-License-Identifier: MIT */
#include "src/files/codec/tiff/strip.h"

#include "src/files/codec/raw/swap.h"

#include <stdlib.h>
#include <tiffio.h>
#include <zlib.h>

int tiff_strip_predictor(uint32_t maxval)
{
    return maxval == FLOAT_SAMPLES ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
}

static void subtract_u8(const uint8_t *from, int64_t count, int64_t channels, uint8_t *to)
{
    memcpy(to, from, (size_t)(count < channels ? count : channels));
    for (int64_t i = channels; i < count; i++)
        to[i] = (uint8_t)(from[i] - from[i - channels]);
}

static void subtract_u16(const uint16_t *from, int64_t count, int64_t channels, uint16_t *to)
{
    memcpy(to, from, (size_t)(count < channels ? count : channels) * sizeof *to);
    for (int64_t i = channels; i < count; i++)
        to[i] = (uint16_t)(from[i] - from[i - channels]);
    if (raw_is_swapped(false))
        raw_swap(to, count, sizeof *to, to);
}

/* The predictor of floats: the bytes of all samples by their place, the highest first; and of
 * those, differences. */
static void subtract_floats(const uint32_t *from, int64_t count, int64_t channels, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++)
        for (int byte = 0; byte < 4; byte++)
            to[byte * count + i] = (uint8_t)(from[i] >> (24 - 8 * byte));
    for (int64_t i = 4 * count - 1; i >= channels; i--)
        to[i] = (uint8_t)(to[i] - to[i - channels]);
}

static void predict(const struct image *image, int64_t y, uint8_t *to)
{
    const int64_t channels = image->view.channels, count = image->view.width * channels;

    if (image->view.sample_bytes == 1)
        subtract_u8(image_row(image, y), count, channels, to);
    else if (image->view.sample_bytes == 4)
        subtract_floats(image_row(image, y), count, channels, to);
    else
        subtract_u16(image_row(image, y), count, channels, (uint16_t *)to);
}

bool tiff_strip_make(const struct image *image, int64_t from, int64_t count, uint8_t **bytes,
                     size_t *used)
{
    const size_t row_bytes = image_row_bytes(image), raw_bytes = (size_t)count * row_bytes;
    uLongf room = compressBound(raw_bytes);
    uint8_t *raw = malloc(raw_bytes);
    bool good;

    *bytes = malloc(room);
    good = raw && *bytes;
    for (int64_t i = 0; i < count && good; i++)
        predict(image, from + i, raw + (size_t)i * row_bytes);
    good = good && compress2(*bytes, &room, raw, raw_bytes, TIFF_DEFLATE_LEVEL) == Z_OK;
    free(raw);
    if (!good) {
        free(*bytes);
        *bytes = NULL;
    }
    *used = room;
    return good;
}
