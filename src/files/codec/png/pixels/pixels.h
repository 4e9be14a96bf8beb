/* SPDX-License-Identifier: MIT */
/* What the chunks before the samples say of the pixels: as the file stores them, and as libpng
 * converts them (png_set_expand). Call these functions after png_read_info. */
#ifndef SMOOTHIMG_CODEC_PNG_PIXELS_H
#define SMOOTHIMG_CODEC_PNG_PIXELS_H

#include "src/files/codec/png/pixels/palette.h"
#include "src/files/codec/rows/stored.h"

#include <png.h>

/* The image's shape, computed before anything is allocated. */
struct shape png_converted_shape(png_structp png, png_infop info);
struct shape png_stored_shape(png_structp png, png_infop info);

/* Bits of a pixel in the file. */
int png_pixel_bits(png_structp png, png_infop info);

/* What stored pixels mean. *palette: of png_palette_take. */
void png_stored_take(struct stored_pixels *stored, const struct png_palette *palette,
                     png_structp png, png_infop info);

#endif
