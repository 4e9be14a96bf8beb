/* SPDX-License-Identifier: MIT */
/* Rules for PNG's ancillary chunks: which are kept, where they may be in the file, how long they
 * are (chunk_rules.c), and how reading and each operation change them (rewrite.c). */
#ifndef SMOOTHIMG_CODEC_PNG_CHUNK_RULES_H
#define SMOOTHIMG_CODEC_PNG_CHUNK_RULES_H

#include "src/files/codec/png/chunks/chunks.h"
#include "src/files/codec/png/palette.h"
#include "src/lib/image/image.h"

#include <png.h>

/* Why a chunk of this name is not kept; NULL: it is kept. as_stored: it is of an image whose pixels
 * may stay as the file stores them. */
const char *png_chunk_why_not(const char *name, bool as_stored);

/* A different bit for each chunk that a file may hold only once; 0 for all others. */
uint32_t png_chunk_bit(const char *name);

/* What is wrong with the chunk at this position; NULL: nothing. Does not decompress anything. */
const char *png_chunk_fault(const char *name, enum png_position position, const uint8_t *bytes,
                            size_t count);

/* The format of the samples in the file. */
struct png_file_samples {
    int colour;      /* libpng's colour type */
    int depth;       /* bits: 1, 2, 4, 8 or 16 */
    bool adds_alpha; /* tRNS: reading adds an alpha channel */
    bool as_stored;  /* reading converts nothing */
    const struct png_palette *palette;
};

/* Converts chunks about samples (bKGD, sBIT) from the file's samples to those of the image in
 * memory, which have 8 or 16 bits and no palette unless as_stored. Drops and notes a chunk that
 * does not match the file's samples, and hIST if the palette is not kept. False without memory. */
bool png_metadata_convert(struct metadata *metadata, const struct png_file_samples *samples);

#define PNG_REWRITE_BYTES 256 /* largest chunk that is rewritten */

/* An sCAL chunk is a unit and two numbers as text, with a zero byte between them. Returns the
 * offset of the second number; 0 if there is none, or if the chunk is too long to rewrite. */
size_t png_second_scale(const uint8_t *bytes, size_t count);

/* Writes the chunks that precede the samples, or those that follow them (late): only those that
 * still apply after the image's changes, rewritten where these affect them. exif: the bytes of the
 * chunk eXIf as transpose changes it, or NULL: as it is. PLTE and tRNS of stored pixels precede the
 * samples. Inside libpng's setjmp. */
void png_metadata_write(png_structp png, const struct metadata *metadata, const struct image *image,
                        const uint8_t *exif, bool late);

/* Adds the chunks that hold what is carried over from another format: see carried.h. False without
 * memory. */
bool png_metadata_carry(struct metadata *metadata, const struct image *header);

/* Must the palette follow a chunk of this name? */
bool png_chunk_before_palette(const char *name);

#endif
