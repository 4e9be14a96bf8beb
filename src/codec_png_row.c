/* SPDX-License-Identifier: MIT */
#include "codec_png_row.h"

#include <endian.h>
#include <string.h>

/* PNG has grey of 1, 2 and 4 bits, which hold maxvals of 1, 3 and 15 as they are. */
static int depth_of(const struct image *image)
{
    if (image->view.channels == 1)
        for (int depth = 1; depth <= 4; depth *= 2)
            if (image->maxval == (1u << depth) - 1)
                return depth;
    return image->maxval > 255 ? 16 : 8;
}

struct png_rows png_rows_of(const struct image *about, bool scale)
{
    const int depth = depth_of(about);
    const uint32_t full = (1u << depth) - 1;
    const int64_t samples = about->view.width * about->view.channels;
    const int64_t pixel_bits = (int64_t)depth * about->view.channels;

    return (struct png_rows){
        .samples = samples,
        .depth = depth,
        .stretched = scale && about->maxval != full,
        .maxval = about->maxval,
        .row_bytes = (size_t)(samples * depth + 7) / 8,
        .distance = (size_t)(pixel_bits + 7) / 8,
    };
}

static uint32_t sample_of(const struct png_rows *rows, const void *row, bool wide, int64_t i)
{
    const uint32_t sample = wide ? ((const uint16_t *)row)[i] : ((const uint8_t *)row)[i];
    const uint32_t full = (1u << rows->depth) - 1;

    return rows->stretched ? (sample * full + rows->maxval / 2) / rows->maxval : sample;
}

/* The leftmost sample in the highest bits; the last byte is filled up with zeros. */
static void pack(const struct png_rows *rows, const uint8_t *row, uint8_t *room)
{
    const int in_byte = 8 / rows->depth;

    memset(room, 0, rows->row_bytes);
    for (int64_t i = 0; i < rows->samples; i++)
        room[i / in_byte] =
            (uint8_t)(room[i / in_byte] | row[i] << (8 - rows->depth * (int)(1 + i % in_byte)));
}

const uint8_t *png_row_of(const struct png_rows *rows, const struct image *image, int64_t y,
                          uint8_t *room)
{
    const void *row = image_row(image, y);
    const bool wide = image->view.sample_bytes == 2;

    if (rows->depth == 8 && !rows->stretched)
        return row;
    if (rows->depth < 8)
        pack(rows, row, room);
    else if (rows->depth == 8)
        for (int64_t i = 0; i < rows->samples; i++)
            room[i] = (uint8_t)sample_of(rows, row, wide, i);
    else
        for (int64_t i = 0; i < rows->samples; i++) {
            const uint16_t swapped = htobe16((uint16_t)sample_of(rows, row, wide, i));

            memcpy(room + 2 * i, &swapped, sizeof swapped);
        }
    return room;
}

static uint8_t distance_of(uint8_t a, uint8_t b)
{
    return (uint8_t)(a > b ? a - b : b - a);
}

/* Of left, above and above left, the nearest to left + above - corner; in that order where two are
 * as near. Each distance fits in a byte, or counts as 255 where no other is further. */
static uint8_t paeth(uint8_t left, uint8_t above, uint8_t corner)
{
    const uint8_t to_left = distance_of(above, corner), to_above = distance_of(left, corner);
    const int sum = to_left + to_above;
    const bool same_side = (left > corner) == (above > corner);
    const uint8_t apart = distance_of(to_left, to_above);
    const uint8_t to_corner = same_side ? (uint8_t)(sum > 255 ? 255 : sum) : apart;
    const uint8_t second = to_above <= to_corner ? above : corner;

    return to_left <= to_above && to_left <= to_corner ? left : second;
}

void png_filter_row(const struct png_rows *rows, enum png_filter filter, const uint8_t *row,
                    const uint8_t *above, uint8_t *filtered)
{
    const size_t bytes = rows->row_bytes, back = rows->distance;
    const size_t first = back < bytes ? back : bytes; /* bytes with nothing on their left */
    uint8_t *restrict out = filtered + 1;

    filtered[0] = (uint8_t)filter;
    switch (filter) {
    case PNG_NONE:
        memcpy(out, row, bytes);
        break;
    case PNG_SUB:
        memcpy(out, row, first);
        for (size_t i = first; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - row[i - back]);
        break;
    case PNG_UP:
        for (size_t i = 0; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - above[i]);
        break;
    case PNG_AVERAGE:
        for (size_t i = 0; i < first; i++)
            out[i] = (uint8_t)(row[i] - above[i] / 2);
        for (size_t i = first; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - (row[i - back] + above[i]) / 2);
        break;
    default:
        for (size_t i = 0; i < first; i++)
            out[i] = (uint8_t)(row[i] - above[i]);
        for (size_t i = first; i < bytes; i++)
            out[i] = (uint8_t)(row[i] - paeth(row[i - back], above[i], above[i - back]));
    }
}

uint64_t png_filtered_weight(const struct png_rows *rows, const uint8_t *filtered)
{
    uint64_t weight = 0;

    for (size_t i = 1; i <= rows->row_bytes; i++)
        weight += filtered[i] < 128 ? filtered[i] : 256u - filtered[i];
    return weight;
}
