/* SPDX-License-Identifier: MIT */
/* Palettes of PNG files. libpng would turn indices above the palette into black silently; this code
 * notes them. */
#ifndef SMOOTHIMG_CODEC_PNG_PALETTE_H
#define SMOOTHIMG_CODEC_PNG_PALETTE_H

#include "src/files/codec/metadata.h"

#include <png.h>

struct png_palette {
    uint8_t colours[PNG_MAX_PALETTE_LENGTH][4]; /* RGB and alpha; opaque black above the palette */
    int size;                                   /* number of colours; 0: no palette */
    int channels;                               /* of the image: 3, or 4 with alpha */
    int largest;                                /* largest index so far */
};

/* After png_read_info. If the image has a palette, libpng's rows will be its colours, and *palette
 * must not move until the last row; else *palette becomes empty. */
void png_palette_take(struct png_palette *palette, png_structp png, png_infop info);

/* After the last row: notes indices above the palette. */
void png_palette_note(const struct png_palette *palette, struct metadata_notes *faults);

#endif
