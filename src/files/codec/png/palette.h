/* SPDX-License-Identifier: MIT */
/* Palettes of PNG files. libpng silently turns an index beyond the palette into black; this code
 * does so too, or keeps it as the others are kept, and notes it. */
#ifndef SMOOTHIMG_CODEC_PNG_PALETTE_H
#define SMOOTHIMG_CODEC_PNG_PALETTE_H

#include "src/files/codec/metadata.h"

#include <png.h>

struct png_palette {
    uint8_t colours[PNG_MAX_PALETTE_LENGTH][4]; /* RGB and alpha; opaque black beyond `size` */
    int size;                                   /* number of colours; 0: no palette */
    int channels;                               /* of the image: 3, or 4 with alpha; 1: indices */
    int largest;                                /* largest index so far */
};

/* Call after png_read_info. If the image has a palette, libpng will return rows of colours, or of
 * bytes that are indices, and uses *palette until the last row; else *palette becomes empty. */
void png_palette_take(struct png_palette *palette, png_structp png, png_infop info, bool indices);

/* After the last row: notes the largest index if it is beyond the palette. */
void png_palette_note(const struct png_palette *palette, struct metadata_notes *faults);

#endif
