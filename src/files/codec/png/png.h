/* SPDX-License-Identifier: MIT */
/* Between the two halves of the PNG codec. Includes libpng's header: for codec_png*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_H
#define SMOOTHIMG_CODEC_PNG_H

#include "codec.h"

#include <png.h>

/* What libpng's callbacks get to see: where an error goes, under which name and status. The jump
 * back is libpng's own, one for each png_struct. */
struct png_trouble {
    const char *name;
    enum status status;
    struct error *error;
    struct metadata *metadata; /* for warnings; or NULL: they are dropped */
};

/* libpng's error function: fills trouble->error and jumps; and its warning function. */
void png_trouble_error(png_structp png, png_const_charp text) __attribute__((noreturn));
void png_trouble_warning(png_structp png, png_const_charp text);

/* The codec's writing half. */
struct sink_wants png_codec_wants(const struct sink *sink, const struct image *about);
enum status png_codec_begin(struct sink *sink, const struct image *about, struct error *error);
enum status png_codec_put(struct sink *sink, int64_t first, int64_t count,
                          const struct image *image, int64_t from, struct error *error);
enum status png_codec_end(struct sink *sink, struct error *error);
void png_codec_discard(struct sink *sink);
enum status png_codec_fits(const struct sink *sink, const struct image *image, struct error *error);

#endif
