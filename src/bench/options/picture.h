/* SPDX-License-Identifier: MIT */
/* The image that is measured: made, the same on every machine, or from a file. */
#ifndef SMOOTHIMG_PICTURE_H
#define SMOOTHIMG_PICTURE_H

#include "src/lib/image/image.h"

/* Is it a word for a made picture, and not a file? */
bool picture_is_made(const char *word);

/* Makes *image, its border of halo pixels filled by the edge rule `clamp`. word is a made picture,
 * painted by `threads` threads into the given shape:
 *     noise    every sample a random number, 0..maxval alike
 *     chequer  0 and maxval in turns: with a wide filter every result is near a half
 *     photo    clouds, hills, a disc and a little noise, much as photographs have them
 * or a file, whose first image is read; shape is then not looked at. The caller frees *image.
 * STATUS_INPUT or STATUS_UNSUPPORTED as image_reader_open and image_reader_next. */
enum status picture_make(const char *word, const struct shape *shape, int64_t halo, int threads,
                         struct image *image, struct error *error);

/* Writes the picture to path ("-": standard output), in the format of the name. */
enum status picture_save(const struct image *image, const char *path, struct error *error);

#endif
