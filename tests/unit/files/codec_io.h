/* SPDX-License-Identifier: MIT */
/* Writes images to files and reads them back, for the tests of the codecs. */
#ifndef SMOOTHIMG_CODEC_IO_H
#define SMOOTHIMG_CODEC_IO_H

#include "src/files/codec/codec.h"

#define TEST_MAX_PIXELS 1000000

enum status store(const char *path, enum format format, struct write_options options,
                  const struct image *const *images, int count, struct error *error);

/* Reads the next image of the stream. *image is empty if none was found. */
enum status next_image(struct image_reader *reader, struct image *image, bool *found,
                       struct error *error);

/* Reads the first image of the file, then the others; *count is the number of good images. Returns
 * STATUS_INPUT also for a fault that does not affect samples. The caller frees *image, which is
 * empty on failure. */
enum status load(const char *path, struct image *image, int *count, struct error *error);

/* Like load(), but from a pipe with these bytes (at most 64 KiB). */
enum status load_pipe(const void *bytes, size_t count, struct image *image, struct error *error);

/* Returns whether image_reader_recognise() finds the file's format, without an error. */
bool is_recognised(const char *path);

#endif
