/* SPDX-License-Identifier: MIT */
/* What reading and writing PNG share. Includes libpng's header: only for this folder. */
#ifndef SMOOTHIMG_CODEC_PNG_H
#define SMOOTHIMG_CODEC_PNG_H

#include "src/files/codec/codec.h"

#include <png.h>

/* Where libpng's errors go: the first member of what its error pointer points to. */
struct png_trouble {
    const char *name;   /* of the file, for messages */
    enum status status; /* of every error: STATUS_INPUT or STATUS_OUTPUT */
    struct error *error;
};

/* libpng's error function: fills trouble->error, then jumps (longjmp). */
void png_trouble_error(png_structp png, png_const_charp text) __attribute__((noreturn));

/* --- chunks.c: which ancillary chunks are kept, and what operations change in them. */

/* Why a chunk of this name is not kept; NULL: it is kept. */
const char *png_chunk_why_not(const char *name);

/* Writes the chunks that precede the samples, or those that follow them (late); after transpose
 * with x and y exchanged. exif: the bytes of the chunk eXIf as transpose changes it, or NULL: as it
 * is. Inside libpng's setjmp. */
void png_chunks_write(png_structp png, const struct metadata *metadata, bool transposed,
                      const uint8_t *exif, bool late);

/* Adds the chunks that hold what is carried over from another format: see carried.h. False without
 * memory. */
bool png_chunks_carry(struct metadata *metadata, const struct image *header);

#endif
