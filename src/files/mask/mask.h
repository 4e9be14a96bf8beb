/* SPDX-License-Identifier: MIT */
/* Masks: which pixels of an image count. While an image of integers is in memory, the mask is one
 * more channel, the last: maxval where a pixel counts, 0 where it is missing. It weighs the other
 * channels as alpha does. In an image of floats a missing pixel becomes a NaN, which a smooth
 * skips. */
#ifndef SMOOTHIMG_MASK_H
#define SMOOTHIMG_MASK_H

#include "src/files/image/image.h"

struct mask {
    const char *name; /* of its file, for messages; not owned */
    int64_t width, height;
    int64_t row_bytes; /* from a row of bits to the next */
    uint8_t *bits;     /* owned; a row's first pixel is the lowest bit; 1: it counts */
};

struct image_reader;

/* Bytes of memory that mask_read takes, of which mask_bytes stay the mask's. */
int64_t mask_read_bytes(const struct image_reader *reader, const struct image *header);
int64_t mask_bytes(int64_t width, int64_t height);

/* Makes *mask of the image that image_reader_begin has found, some rows at a time where its format
 * allows: 0 is missing. STATUS_UNSUPPORTED if it has several channels or floats, or is not the only
 * one of the file. The caller frees the mask, after a failure too. */
enum status mask_read(struct image_reader *reader, const struct image *header, struct mask *mask,
                      struct error *error);
void mask_free(struct mask *mask);

/* Does the pixel count? */
static inline bool mask_counts(const struct mask *mask, int64_t y, int64_t x)
{
    return mask->bits[y * mask->row_bytes + x / 8] >> x % 8 & 1;
}

/* Makes the missing pixels of these rows, which are floats, NaN. */
void mask_erase(const struct mask *mask, int64_t first, int64_t count, const struct image *image,
                int64_t to);

#endif
