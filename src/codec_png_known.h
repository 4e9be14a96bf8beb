/* SPDX-License-Identifier: MIT */
/* What the ancillary chunks of PNG mean, as far as it matters to keeping them: which are kept,
 * where they may stand, how long they are, and what an operation does to them (codec_png_mend.c).
 * For codec_png*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_KNOWN_H
#define SMOOTHIMG_CODEC_PNG_KNOWN_H

#include "codec_png_chunks.h"
#include "codec_png_palette.h"
#include "image.h"

#include <png.h>

/* Why a chunk of this name does not hold for a result; NULL: it is kept. */
const char *png_chunk_why_not(const char *name);

/* A bit of its own for each name of which a file may have only one; 0 for others. */
uint32_t png_chunk_bit(const char *name);

/* What is wrong with such a chunk in this place; NULL: nothing that can be seen without
 * decompressing what is in it. */
const char *png_chunk_fault(const char *name, enum png_place place, const uint8_t *bytes,
                            size_t count);

/* The samples as the file has them. */
struct png_file_samples {
    int colour;       /* libpng's colour type */
    int depth;        /* bits: 1, 2, 4, 8 or 16 */
    bool alpha_comes; /* a transparent colour (tRNS) becomes alpha */
    const struct png_palette *palette;
};

/* Chunks that are in terms of samples (bKGD, sBIT) are put into those of the image in memory: of 8
 * or 16 bits, without a palette. What does not fit the file's samples is noted and left out. False
 * without memory. */
bool png_known_fit(struct metadata *metadata, const struct png_file_samples *samples);

#define PNG_MENDED_BYTES 256 /* at most, of a chunk that is mended */

/* Of an sCAL chunk, which is a unit and two numbers as text with a zero byte between them: where
 * the second is; 0 where there is none, or it is too long to be mended. */
size_t png_second_scale(const uint8_t *bytes, size_t count);

/* Writes the chunks that stand behind the samples, or those before, as far as they hold after these
 * changes, and mended to fit them. Called inside libpng's jump. */
void png_known_write(png_structp png, const struct metadata *metadata,
                     const struct changes *changes, bool late);

#endif
