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

#endif
