/* SPDX-License-Identifier: MIT */
/* Shared by the reader and the writer of PNG. Includes libpng's header, so it is for this folder
 * only. */
#ifndef SMOOTHIMG_CODEC_PNG_H
#define SMOOTHIMG_CODEC_PNG_H

#include "src/files/codec/codec.h"

#include <png.h>

/* The target of libpng's errors: the first member of the struct that its error pointer points to.
 */
struct png_trouble {
    const char *name;   /* of the file, for messages */
    enum status status; /* status of every error: STATUS_INPUT or STATUS_OUTPUT */
    struct error *error;
};

/* libpng's error function: fills trouble->error, then jumps (longjmp). */
void png_trouble_error(png_structp png, png_const_charp text) __attribute__((noreturn));

/* --- chunks.c: which ancillary chunks are kept, and how operations change them. */

/* Returns why a chunk of this name is not kept, or NULL if it is kept. */
const char *png_chunk_why_not(const char *name);

/* Writes the chunks that precede the samples, or those that follow them (late); after a transpose
 * with x and y exchanged. `exif` has the chunk eXIf as transpose changes it, or is NULL if it is
 * unchanged. Call it inside libpng's setjmp. */
void png_chunks_write(png_structp png, const struct metadata *metadata, bool transposed,
                      const uint8_t *exif, bool late);

/* Adds chunks with the metadata that is carried over from another format (carried.h). Returns false
 * without memory. */
bool png_chunks_carry(struct metadata *metadata, const struct image *header);

#endif
