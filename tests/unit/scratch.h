/* SPDX-License-Identifier: MIT */
/* For tests that need files: a scratch folder, and images of known samples. All functions exit with
 * 99 if something fails. */
#ifndef SMOOTHIMG_SCRATCH_H
#define SMOOTHIMG_SCRATCH_H

#include "src/files/image/image.h"

#include <stdbool.h>

/* Makes a folder under TMPDIR or /tmp for this process; it is removed, with its files, at exit. */
void scratch_make(void);

/* Returns the path of `name` in the folder, in a buffer that this thread's sixteenth next call
 * reuses. */
const char *scratch_path(const char *name);

/* Writes the bytes to the path. */
void scratch_write(const char *path, const void *bytes, size_t count);

/* Reads a whole file; the caller frees the bytes. */
unsigned char *scratch_read(const char *path, size_t *count);

/* Checks that the file holds this text. */
void scratch_check(const char *path, const char *want);

/* Have these two files the same bytes? */
bool same_files(const char *a, const char *b);

/* How many files and folders the folder has. */
int scratch_entries(void);

/* Returns an image of this shape whose samples follow from the seed; 0 and maxval are among them.
 * Around it are that many pixels of another value. The caller frees it. */
struct image scratch_image(int64_t width, int64_t height, int32_t channels, uint32_t maxval,
                           int64_t around, unsigned seed);

/* Returns sample i of row y, where i counts pixels times channels. */
uint32_t image_sample(const struct image *image, int64_t y, int64_t i);

/* Have both the same shape and samples? */
bool same_pixels(const struct image *a, const struct image *b);

#endif
