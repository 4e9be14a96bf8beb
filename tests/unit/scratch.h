/* SPDX-License-Identifier: MIT */
/* A scratch folder and images with known samples, for tests that need files. All functions exit
 * with 99 if something fails. */
#ifndef SMOOTHIMG_SCRATCH_H
#define SMOOTHIMG_SCRATCH_H

#include "src/files/image/image.h"

#include <stdbool.h>

/* Makes a folder under TMPDIR or /tmp for this process, and removes it with its files at exit. */
void scratch_make(void);

/* Returns the path of `name` in the folder. The string is valid for fifteen more calls by the same
 * thread. */
const char *scratch_path(const char *name);

void scratch_write(const char *path, const void *bytes, size_t count);

/* Reads a whole file; the caller frees the bytes. */
unsigned char *scratch_read(const char *path, size_t *count);

/* Checks that the file holds this text. */
void scratch_check(const char *path, const char *want);

/* Returns how many files and folders the scratch folder has. */
int scratch_entries(void);

/* Returns an image whose samples depend on the seed and include 0 and maxval. On each side of it
 * are `around` pixels of another value. The caller frees the image. */
struct image scratch_image(int64_t width, int64_t height, int32_t channels, uint32_t maxval,
                           int64_t around, unsigned seed);

#endif
