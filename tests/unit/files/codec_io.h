/* SPDX-License-Identifier: MIT */
/* Images to files and back, for the tests of the codecs. */
#ifndef SMOOTHIMG_CODEC_IO_H
#define SMOOTHIMG_CODEC_IO_H

#include "src/files/codec/codec.h"

#define TEST_MAX_PIXELS 1000000

/* Writes the images to the path. */
enum status store(const char *path, enum format format, struct write_options options,
                  const struct image *const *images, int count, struct error *error);

/* Reads the next image of the stream. *image is empty if none was found. */
enum status next_image(struct image_reader *reader, struct image *image, bool *found,
                       struct error *error);

/* Reads the first image of the file, then everything to the end of the stream: *count images are
 * good. STATUS_INPUT also stands for a fault that does not affect samples. The caller frees *image,
 * which is empty on failure. */
enum status load(const char *path, struct image *image, int *count, struct error *error);

/* Like load(), from a pipe with these bytes (at most 64 KiB). */
enum status load_pipe(const void *bytes, size_t count, struct image *image, struct error *error);

/* image_reader_recognise, and without an error. */
bool is_recognised(const char *path);

#endif
