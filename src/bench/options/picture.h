/* SPDX-License-Identifier: MIT */
/* Generates the picture on which variants are measured, or reads it from a file. Generated pictures
 * are the same on every machine. */
#ifndef SMOOTHIMG_PICTURE_H
#define SMOOTHIMG_PICTURE_H

#include "src/files/image/image.h"

/* Returns true if `word` is the name of a generated picture, false if it is the name of a file. */
bool picture_is_made(const char *word);

/* Makes *image. `word` is the name of a generated picture or of a file. A generated picture has the
 * given shape, and is painted by `threads` threads:
 *
 *     noise    random samples: all values of 0..maxval (floats: k/65535) are equally likely
 *     chequer  0 and maxval alternate, so the results of a wide filter are close to maxval/2;
 *              for integers this is halfway between two of them, where results are hard to round
 *     photo    clouds, hills, a disc and a little noise, similar to a photograph
 *
 * From a file, the first image is read, and `shape` is ignored. The caller frees *image. Fails as
 * image_reader_open and image_reader_load do. */
enum status picture_make(const char *word, const struct shape *shape, int threads,
                         struct image *image, struct error *error);

/* Writes the picture to path ("-": standard output), in the format of the name's extension. Returns
 * STATUS_USAGE for an unsupported format, STATUS_OUTPUT if the file cannot be written. */
enum status picture_save(const struct image *image, const char *path, struct error *error);

#endif
