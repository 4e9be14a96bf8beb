/* SPDX-License-Identifier: MIT */
/* What reading and writing PNG share. Includes libpng's header: only for this folder. */
#ifndef SMOOTHIMG_CODEC_PNG_H
#define SMOOTHIMG_CODEC_PNG_H

#include "src/files/codec/codec.h"

#include <png.h>

/* Where libpng's errors and warnings go: the error pointer of a png_struct. */
struct png_trouble {
    const char *name;   /* of the file, for messages */
    enum status status; /* of every error */
    struct error *error;
    struct metadata *metadata; /* takes the warnings; NULL: they are dropped */
};

/* libpng's error function: fills trouble->error, then jumps (longjmp). */
void png_trouble_error(png_structp png, png_const_charp text) __attribute__((noreturn));
/* libpng's warning function. */
void png_trouble_warning(png_structp png, png_const_charp text);

/* The functions of struct codec that write, in write.c. */
struct write_requirements png_codec_requirements(const struct image_writer *writer,
                                                 const struct image *header);
enum status png_codec_begin(struct image_writer *writer, const struct image *header,
                            struct error *error);
enum status png_codec_put(struct image_writer *writer, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error);
enum status png_codec_end(struct image_writer *writer, struct error *error);
void png_codec_discard(struct image_writer *writer);
enum status png_codec_supports(const struct image_writer *writer, const struct image *image,
                               struct error *error);

#endif
