/* SPDX-License-Identifier: MIT */
/* Palettes of PNG files. libpng would make indices that no colour belongs to black without a word;
 * here they are counted too. For codec_png*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_PALETTE_H
#define SMOOTHIMG_CODEC_PNG_PALETTE_H

#include "metadata.h"

#include <png.h>

struct png_palette {
    uint8_t colours[PNG_MAX_PALETTE_LENGTH]
                   [4]; /* RGB and alpha; opaque black where there is none */
    int size;           /* colours; 0: the image has no palette */
    int channels;       /* in the image: 3, or 4 with alpha */
    int largest;        /* index so far */
};

/* After png_read_info. Of an image without a palette *palette stays empty; otherwise libpng's rows
 * will be colours, by *palette, which must stay where it is. */
void png_palette_take(struct png_palette *palette, png_structp png, png_infop info);

/* After the last row. */
void png_palette_note(const struct png_palette *palette, struct metadata_notes *faults);

#endif
