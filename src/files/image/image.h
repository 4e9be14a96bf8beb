/* SPDX-License-Identifier: MIT */
/* An image: its samples, and what its file says about them. */
#ifndef SMOOTHIMG_IMAGE_H
#define SMOOTHIMG_IMAGE_H

#include "src/lib/base/error.h"
#include "kernels/variant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_MAXVAL 65535u
#define ROW_ALIGNMENT 64 /* bytes: alignment of every row's first pixel */

/* What every codec reads from a header. Operations keep these properties of an image, except that
 * transpose swaps width and height, and that --float changes maxval to FLOAT_SAMPLES. */
struct shape {
    int64_t width;    /* pixels, at least 1 */
    int64_t height;   /* rows, at least 1 */
    int32_t channels; /* samples in a pixel, at least 1 */
    /* The greatest value of a sample, 1..65535: samples have one byte if it is at most 255, else
     * two. FLOAT_SAMPLES: samples are floats. */
    uint32_t maxval;
};

/* File formats. The order matters: the Netpbm formats are those up to FORMAT_PAM, and those with a
 * plain (text) form are those up to FORMAT_PPM. */
enum format {
    FORMAT_PBM,
    FORMAT_PGM,
    FORMAT_PPM,
    FORMAT_PAM,
    FORMAT_PNG,
    FORMAT_NPY,
    FORMAT_TIFF,
    FORMAT_JPEG
};

/* Values of image.tuple_type, which names the channels: those of the PAM format, and two more for
 * TIFF images in which colours are multiplied by alpha (associated alpha). */
#define TUPLE_GREY "GRAYSCALE"
#define TUPLE_GREY_ALPHA "GRAYSCALE_ALPHA"
#define TUPLE_GREY_ASSOCIATED "GRAYSCALE_ASSOCIATED"
#define TUPLE_RGB "RGB"
#define TUPLE_RGB_ALPHA "RGB_ALPHA"
#define TUPLE_RGB_ASSOCIATED "RGB_ASSOCIATED"

struct metadata;
struct light;
struct mask;

/* How operations have moved the pixels since the image was read; some metadata depends on it. */
struct changes {
    bool transposed, reversed; /* true after an odd number of transposes (reverses) */
};

struct image {
    struct view view; /* image_alloc aligns the origin to ROW_ALIGNMENT */
    uint32_t maxval;
    enum format format;              /* format of the file that the image was read from */
    char tuple_type[256];            /* a PAM file's TUPLTYPE, TIFF's colours as TUPLE_*; else "" */
    const struct metadata *metadata; /* not owned: mostly the reader's; or NULL */
    const struct light *light;       /* not owned; if not NULL, samples are in linear light and
                                        encoded when written */
    const struct mask
        *mask; /* not owned; if not NULL, the last channel is the mask's and is not written */
    struct changes changes;
    void *memory; /* owned; NULL: the view's memory is the caller's, or there is none */
    size_t memory_bytes;
};

/* Allocates an image of this shape; the caller frees it. Samples are uninitialised, format is
 * FORMAT_PGM, tuple_type is "". Returns STATUS_NO_MEMORY, also if the size overflows: *image is
 * then empty, and image_free does nothing. */
enum status image_alloc(struct image *image, const struct shape *shape, struct error *error);

/* Makes *image an image of this shape without memory: what image_alloc makes, but view.origin is
 * NULL, and there is nothing to free. So *image can be a header, or the caller sets view.origin to
 * memory of its own, aligned to ROW_ALIGNMENT. Returns how many bytes of memory the samples need;
 * INT64_MAX if they exceed the address space. */
int64_t image_lay_out(struct image *image, const struct shape *shape);

/* Copies everything but the shape and the samples; the metadata is shared. */
void image_copy_kind(struct image *image, const struct image *from);

/* Frees the memory and leaves the image empty, all zeros. Harmless on an empty image. */
void image_free(struct image *image);

/* Returns *image as it is in the file: not in linear light, and without the mask's channel. The
 * returned image shares the memory of *image: each of its rows is at the end of a row of *image. */
struct image image_file(const struct image *image);

struct shape image_shape(const struct image *image);

/* Whether the last channel is alpha. With associated alpha the colours are multiplied by alpha
 * already, so each channel is smoothed by itself. */
enum alpha_kind { NO_ALPHA, STRAIGHT_ALPHA, ASSOCIATED_ALPHA };

/* The format that the image was read from decides: in PNG the number of channels tells, in PAM and
 * TIFF the tuple type; other formats have no alpha. With a mask, the file's alpha is the channel
 * before the last one, and the result is NO_ALPHA. */
enum alpha_kind image_alpha(const struct image *image);

/* Returns the address of the first sample of row y. */
void *image_row(const struct image *image, int64_t y);

/* Return how many bytes the samples of one row, and of all rows, have, without padding. */
size_t image_row_bytes(const struct image *image);
int64_t image_bytes(const struct image *image);

/* Returns the bytes of a pixel in memory: the samples of all its channels. */
int64_t pixel_bytes(const struct shape *shape);

/* Returns the bytes of a sample in memory and in raw files: 4 for FLOAT_SAMPLES, 1 for a maxval up
 * to 255, else 2. */
int32_t sample_bytes_of(uint32_t maxval);

#endif
