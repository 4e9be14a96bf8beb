/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/pixels/pixels.h"

#include <string.h>

struct shape png_converted_shape(png_structp png, png_infop info)
{
    const int colour = png_get_color_type(png, info);
    const bool key = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    const bool alpha = key || (colour & PNG_COLOR_MASK_ALPHA) != 0;

    return (struct shape){
        .width = png_get_image_width(png, info),
        .height = png_get_image_height(png, info),
        .channels = ((colour & PNG_COLOR_MASK_COLOR) ? 3 : 1) + (alpha ? 1 : 0),
        .maxval = png_get_bit_depth(png, info) == 16 ? 65535 : 255,
    };
}

struct shape png_stored_shape(png_structp png, png_infop info)
{
    struct shape shape = png_converted_shape(png, info);

    shape.channels = png_get_channels(png, info);
    shape.maxval = (1u << png_get_bit_depth(png, info)) - 1;
    return shape;
}

int png_pixel_bits(png_structp png, png_infop info)
{
    return png_get_bit_depth(png, info) * png_get_channels(png, info);
}

/* The chunk tRNS: an alpha for each of the first colours, or one transparent colour, without the
 * bits above those of the samples, which libpng ignores. */
static int take_transparency(uint8_t *bytes, uint32_t maxval, png_structp png, png_infop info)
{
    const int type = png_get_color_type(png, info);
    png_color_16p key = NULL;
    png_bytep alphas = NULL;
    int count = 0;

    if (png_get_tRNS(png, info, &alphas, &count, &key) == 0)
        return 0;
    if (type == PNG_COLOR_TYPE_PALETTE) {
        memcpy(bytes, alphas, (size_t)count);
        return count;
    }
    png_save_uint_16(bytes, (type == PNG_COLOR_TYPE_GRAY ? key->gray : key->red) & maxval);
    png_save_uint_16(bytes + 2, key->green & maxval);
    png_save_uint_16(bytes + 4, key->blue & maxval);
    return type == PNG_COLOR_TYPE_GRAY ? 2 : 6;
}

void png_stored_take(struct stored_pixels *stored, const struct png_palette *palette,
                     png_structp png, png_infop info)
{
    const struct shape shape = png_converted_shape(png, info);

    *stored = (struct stored_pixels){
        .indexed = palette->size > 0,
        .channels = shape.channels,
        .maxval = png_stored_shape(png, info).maxval,
        .converted = shape.maxval,
        .colours = palette->size,
    };
    for (int i = 0; i < palette->size; i++)
        memcpy(stored->palette + 3 * i, palette->colours[i], 3);
    stored->transparency_bytes = take_transparency(stored->transparency, stored->maxval, png, info);
}
