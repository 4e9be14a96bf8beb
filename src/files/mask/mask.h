/* SPDX-License-Identifier: MIT */
/* A mask says which pixels of an image count. In memory an image of integers has the mask as its
 * last channel: maxval where a pixel counts, 0 where it is missing. The mask weights the other
 * channels as alpha does. In an image of floats a missing pixel becomes a NaN, which smoothing
 * skips. */
#ifndef SMOOTHIMG_MASK_H
#define SMOOTHIMG_MASK_H

#include "src/files/image/image.h"

struct mask {
    const char *name; /* of its file, for messages; not owned */
    int64_t width, height;
    int64_t row_bytes; /* bytes of a row of bits */
    uint8_t *bits;     /* owned; 1: the pixel counts; a byte's lowest bit is its leftmost pixel */
};

struct image_reader;

/* mask_read_bytes returns how many bytes of memory mask_read needs, and mask_bytes how many of them
 * the finished mask occupies. */
int64_t mask_read_bytes(const struct image_reader *reader, const struct image *header);
int64_t mask_bytes(int64_t width, int64_t height);

/* Makes *mask from the image that image_reader_begin has found, some rows at a time if its format
 * allows; a sample of 0 means missing. Returns STATUS_UNSUPPORTED if the image has several channels
 * or floats, or is not the only one in its file. *mask is all zeros before the call; the caller
 * frees the mask, after a failure too. */
enum status mask_read(struct image_reader *reader, const struct image *header, struct mask *mask,
                      struct error *error);
void mask_free(struct mask *mask);

/* True if the pixel counts. */
static inline bool mask_counts(const struct mask *mask, int64_t y, int64_t x)
{
    return mask->bits[y * mask->row_bytes + x / 8] >> x % 8 & 1;
}

/* Sets the missing pixels of rows to..to+count-1 of *image, which has floats, to NaN. The first of
 * these rows is row `first` of the mask. */
void mask_erase(const struct mask *mask, int64_t first, int64_t count, const struct image *image,
                int64_t to);

#endif
