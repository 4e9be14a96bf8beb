/* SPDX-License-Identifier: MIT */
/* A scratch folder and images with known samples, for tests that need files. All functions exit
 * with 99 if something fails. */
#ifndef SMOOTHIMG_SCRATCH_H
#define SMOOTHIMG_SCRATCH_H

#include "src/files/image/image.h"

#include <stdbool.h>

/* Makes a folder under TMPDIR or /tmp for this process; it is removed, with its files, at exit. */
void scratch_make(void);

/* Returns the path of `name` in the folder. The buffer is reused by the sixteenth call after this
 * one in the same thread. */
const char *scratch_path(const char *name);

void scratch_write(const char *path, const void *bytes, size_t count);

/* Reads a whole file; the caller frees the bytes. */
unsigned char *scratch_read(const char *path, size_t *count);

/* Checks that the file holds this text. */
void scratch_check(const char *path, const char *want);

/* Returns how many files and folders the scratch folder has. */
int scratch_entries(void);

/* Returns an image whose samples follow from the seed; 0 and maxval are among them. `around` pixels
 * with another value are on each side. The caller frees it. */
struct image scratch_image(int64_t width, int64_t height, int32_t channels, uint32_t maxval,
                           int64_t around, unsigned seed);

#endif
