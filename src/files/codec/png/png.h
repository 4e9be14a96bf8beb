/* SPDX-License-Identifier: MIT */
/* Declarations for this folder only: files elsewhere do not include libpng's header. */
#ifndef SMOOTHIMG_CODEC_PNG_H
#define SMOOTHIMG_CODEC_PNG_H

#include "src/files/codec/carried.h"
#include "src/files/codec/codec.h"

#include <png.h>

/* Receives libpng's errors. A struct png_trouble is the first member of the struct to which
 * libpng's error pointer points. */
struct png_trouble {
    const char *name;   /* of the file, for messages */
    enum status status; /* status of every error: STATUS_INPUT or STATUS_OUTPUT */
    struct error *error;
};

/* libpng's error function: fills trouble->error, then jumps (longjmp). */
void png_trouble_error(png_structp png, png_const_charp text) __attribute__((noreturn));

/* Returns why a chunk of this name is not kept, or NULL if it is kept. */
const char *png_chunk_why_not(const char *name);

/* Writes the chunks of the metadata that precede the samples, or, if `late`, those that follow the
 * samples. A transpose exchanges x and y in pHYs and oFFs. `exif`, unless NULL, is the result of
 * png_chunks_exif, and replaces the data of eXIf. Call it after setjmp, since libpng's errors jump
 * out of it. */
void png_chunks_write(png_structp png, const struct metadata *metadata,
                      const struct changes *changes, const uint8_t *exif, bool late);

/* Copies the data of all eXIf chunks, one after the other, each updated for a transpose. Returns
 * false if memory runs out. The caller frees exif->bytes. */
bool png_chunks_exif(const struct metadata *metadata, struct carried *exif);

/* Adds chunks with the metadata of an image that was read from another format (carried.h). Returns
 * false if memory runs out. */
bool png_chunks_carry(struct metadata *metadata, const struct image *header);

#endif
