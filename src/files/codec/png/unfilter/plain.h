/* SPDX-License-Identifier: MIT */
/* Rows of PNG files that are the image's own: not interlaced, 8 or 16 bits, no palette, no
 * transparent colour. They are read without libpng. */
#ifndef SMOOTHIMG_CODEC_PNG_PLAIN_H
#define SMOOTHIMG_CODEC_PNG_PLAIN_H

#include "src/files/codec/png/chunks/chunks.h"
#include "src/files/codec/png/png.h"
#include "src/files/codec/png/unfilter/unfilter.h"

/* After png_read_info. Leaves *unfilter closed if libpng must read the rows: for other kinds, for
 * rows so long that this would take much memory, and without memory. as_stored: a transparent
 * colour stays in the chunk tRNS. */
void png_plain_open(struct unfilter *unfilter, png_structp png, png_infop info, bool as_stored);

/* The next count rows, into rows to.. of *image. Inside libpng's setjmp: a bad filter is libpng's
 * error. */
enum status png_plain_read(struct unfilter *unfilter, struct png_samples *samples, png_structp png,
                           int64_t count, const struct image *image, int64_t to,
                           struct error *error);

#endif
