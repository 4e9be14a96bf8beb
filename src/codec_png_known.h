/* SPDX-License-Identifier: MIT */
/* What the ancillary chunks of PNG mean, as far as it matters to keeping them: which are kept,
 * where they may stand, how long they are, and what an operation does to them. For codec_png*.c
 * alone. */
#ifndef SMOOTHIMG_CODEC_PNG_KNOWN_H
#define SMOOTHIMG_CODEC_PNG_KNOWN_H

#include "codec_png_chunks.h"
#include "image.h"

/* Why a chunk of this name does not hold for a result; NULL: it is kept. */
const char *png_chunk_why_not(const char *name);

/* May a file have only one of this name? */
bool png_chunk_comes_once(const char *name);

/* What is wrong with such a chunk in this place; NULL: nothing that can be seen without
 * decompressing what is in it. */
const char *png_chunk_fault(const char *name, enum png_place place, const uint8_t *bytes,
                            size_t count);

/* The samples as the file has them. */
struct png_file_samples {
    int colour;             /* libpng's colour type */
    int depth;              /* bits: 1, 2, 4, 8 or 16 */
    bool alpha_comes;       /* a transparent colour (tRNS) becomes alpha */
    const uint8_t *palette; /* RGB, one after the other; or NULL */
    int palette_size;       /* colours */
};

/* Chunks that are in terms of samples (bKGD, sBIT) are put into those of the image in memory: of 8
 * or 16 bits, without a palette. What does not fit the file's samples is noted and left out. False
 * without memory. */
bool png_known_fit(struct metadata *metadata, const struct png_file_samples *samples);

/* Does the item still hold after what was done to the image? */
bool png_known_holds(const struct metadata_item *item, const struct changes *changes);

#define PNG_MENDED_BYTES 256 /* at most, of a chunk that is mended */

/* The item's bytes for an image that was transposed: what is by axes has them exchanged. Returns
 * mended, or the item's own bytes where nothing changes. */
const uint8_t *png_known_turn(const struct metadata_item *item, uint8_t mended[PNG_MENDED_BYTES]);

#endif
