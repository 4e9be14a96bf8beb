/* SPDX-License-Identifier: MIT */
/* For tests that need files: a folder of their own, images of known samples. */
#ifndef SMOOTHIMG_SCRATCH_H
#define SMOOTHIMG_SCRATCH_H

#include "src/lib/image/image.h"

#include <stdbool.h>

/* Makes a folder under TMPDIR or /tmp, for this process; at its end it is removed with the files
 * in it. */
void scratch_make(void);

/* The path of name in it, in a buffer that stays for fifteen more calls of the thread. */
const char *scratch_path(const char *name);

/* Writes the bytes to the path, or reads all of it: the caller frees. */
void scratch_write(const char *path, const void *bytes, size_t count);
unsigned char *scratch_read(const char *path, size_t *count);

/* Are the bytes of these files the same? */
bool same_files(const char *a, const char *b);

/* How many entries the folder has. */
int scratch_entries(void);

/* An image of this shape whose samples follow from the seed; 0 and maxval are among them. The
 * border is filled with a value that is no sample of it. The caller frees. */
struct image scratch_image(int64_t width, int64_t height, int32_t channels, uint32_t maxval,
                           int64_t halo, unsigned seed);

uint32_t image_sample(const struct image *image, int64_t y, int64_t i);

/* Same shape and samples? The borders may differ. */
bool same_pixels(const struct image *a, const struct image *b);

#endif
