/* SPDX-License-Identifier: MIT */
/* An image: samples with a border ("halo") around them, and what its file said about them. */
#ifndef SMOOTHIMG_IMAGE_H
#define SMOOTHIMG_IMAGE_H

#include "src/lib/base/error.h"
#include "kernels/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_MAXVAL 65535u
#define ROW_ALIGNMENT 64 /* bytes; of every row's first pixel */

/* What every codec knows and every operation keeps (transpose swaps the sides). */
struct shape {
    int64_t width;    /* pixels, at least 1 */
    int64_t height;   /* rows, at least 1 */
    int32_t channels; /* samples in a pixel, at least 1 */
    uint32_t maxval;  /* 1..65535; up to 255 a sample takes one byte, above it two */
};

/* File formats, in the order of the words that name them. */
enum format { FORMAT_PBM, FORMAT_PGM, FORMAT_PPM, FORMAT_PAM, FORMAT_PNG };

struct metadata;

/* What operations did to an image since it was read, as far as metadata depend on it. */
struct changes {
    bool transposed, reversed; /* an odd number of times */
    bool smoothed;             /* with a halo above 0 */
};

struct image {
    struct view view; /* origin is aligned to ROW_ALIGNMENT */
    int64_t halo;     /* pixels of border on each side that the memory has room for */
    uint32_t maxval;
    enum format format;              /* of the file that it was read from */
    char tuple_type[256];            /* PAM's TUPLTYPE of that file, "" if it had none */
    const struct metadata *metadata; /* its source's, until that begins another image; or NULL */
    struct changes changes;
    void *memory; /* owned; NULL: borrowed, or none */
    size_t memory_bytes;
};

/* Makes room for shape with a border of halo pixels. The samples and the border are unspecified;
 * format and tuple_type are FORMAT_PGM and "". On failure (sizes that do not fit, no memory:
 * STATUS_NO_MEMORY) *image is empty, and image_free is harmless. */
enum status image_alloc(struct image *image, const struct shape *shape, int64_t halo,
                        struct error *error);

/* The bytes of memory that image_alloc takes for this; INT64_MAX if they do not fit in the address
 * space. */
int64_t image_needs(const struct shape *shape, int64_t halo);

/* Bytes of memory that an image of this shape and border takes. STATUS_NO_MEMORY if there is no
 * such number. */
enum status image_measure(const struct shape *shape, int64_t halo, int64_t *bytes,
                          struct error *error);

/* image_alloc in memory of the caller's: as many bytes as image_measure says, aligned to
 * ROW_ALIGNMENT. NULL: computes the strides only. */
void image_place(struct image *image, const struct shape *shape, int64_t halo, void *memory);

/* An image without its samples: shape and view, but no memory, and nothing to free. */
void image_describe(struct image *image, const struct shape *shape);

/* What the file said about *from beside its shape: its format, tuple type and metadata, and what
 * was done since. */
void image_copy_kind(struct image *image, const struct image *from);

/* Notes that the image is now the result of this operation, smooth with this halo. */
void image_note_op(struct image *image, enum op op, int64_t halo);

/* Gives the memory back and leaves an empty image. An empty (all zero) image is legal. */
void image_free(struct image *image);

struct shape image_shape(const struct image *image);

/* Is the last channel alpha? In PNG by the number of channels, in PAM by the tuple type, as the
 * file had it that the image comes from. */
bool image_has_alpha(const struct image *image);

/* First sample of row y, y = -halo..height-1+halo. */
void *image_row(const struct image *image, int64_t y);

/* Bytes of one row's samples, border not counted; and of all rows'. */
size_t image_row_bytes(const struct image *image);
size_t image_bytes(const struct image *image);

/* Bytes of a pixel in memory. */
int64_t pixel_bytes(const struct shape *shape);

/* Bytes that a sample of this maxval takes in memory and in raw files: 1 or 2. */
int32_t sample_bytes_of(uint32_t maxval);

#endif
