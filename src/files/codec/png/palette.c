/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/palette.h"

#include <string.h>

/* Finds the largest index, and replaces indices by colours unless they stay: in place, from the
 * right, since a pixel grows to several bytes. */
static void take_row(png_structp png, png_row_infop row, png_bytep bytes)
{
    struct png_palette *palette = png_get_user_transform_ptr(png);
    const size_t channels = (size_t)palette->channels;
    uint8_t largest = 0;

    for (size_t i = 0; i < row->width; i++)
        largest = bytes[i] > largest ? bytes[i] : largest;
    palette->largest = largest > palette->largest ? largest : palette->largest;
    for (size_t i = row->width; i-- > 0 && channels > 1;)
        memcpy(bytes + i * channels, palette->colours[bytes[i]], channels);
}

void png_palette_take(struct png_palette *palette, png_structp png, png_infop info, bool indices)
{
    png_colorp colours = NULL;
    png_bytep alphas = NULL;
    int count = 0;

    *palette = (struct png_palette){.channels = 3};
    if (png_get_color_type(png, info) != PNG_COLOR_TYPE_PALETTE)
        return;
    png_get_PLTE(png, info, &colours, &palette->size);
    if (png_get_tRNS(png, info, &alphas, &count, NULL) != 0)
        palette->channels = 4;
    for (int i = 0; i < PNG_MAX_PALETTE_LENGTH; i++) {
        uint8_t *colour = palette->colours[i];

        colour[3] = i < count ? alphas[i] : 255;
        if (i < palette->size)
            memcpy(colour, (uint8_t[]){colours[i].red, colours[i].green, colours[i].blue}, 3);
    }
    png_set_packing(png); /* libpng unpacks indices of 1, 2 and 4 bits to bytes */
    if (indices)
        palette->channels = 1;
    png_set_read_user_transform_fn(png, take_row);
    png_set_user_transform_info(png, palette, 8, palette->channels);
    png_set_check_for_invalid_index(png, 0); /* take_row checks; libpng 1.6.39 misses the first */
}

void png_palette_note(const struct png_palette *palette, struct metadata_notes *faults)
{
    char text[80];

    if (palette->size == 0 || palette->largest < palette->size)
        return;
    snprintf(text, sizeof text, "palette index %d, but only %d colour%s: %s", palette->largest,
             palette->size, palette->size == 1 ? "" : "s",
             palette->channels == 1 ? "kept" : "black");
    metadata_note(faults, NULL, text);
}
