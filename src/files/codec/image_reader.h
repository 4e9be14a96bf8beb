/* SPDX-License-Identifier: MIT */
/* Reads the images of a file one after the other, whole or some rows at a time. The file's first
 * bytes decide the format, not its name. */
#ifndef SMOOTHIMG_IMAGE_READER_H
#define SMOOTHIMG_IMAGE_READER_H

#include "src/files/codec/metadata.h"
#include "src/files/light/light.h"
#include "src/files/mask/mask.h"
#include "src/lib/base/error.h"

#include <stdio.h>

/* Limits larger than any real image. They bound the memory for a row, which is allocated before any
 * sample has been read. */
#define MAX_SIDE_DEFAULT ((int64_t)1 << 24)
#define MAX_CHANNELS_DEFAULT ((int64_t)1 << 12)

/* How the rows of an image may be read. */
enum row_order {
    ROWS_IN_ORDER,    /* each row once, from the top down, by one call at a time */
    ROWS_AT_ONCE,     /* all rows in one call */
    ROWS_IN_ANY_ORDER /* by several threads, in any order, at the same time */
};

/* How a file's samples depend on linear light. All zeros: the file does not say. */
struct image_curve {
    bool is_srgb;
    uint32_t gamma;   /* g times 100000: x^(1/g) is the light of sample x in 0..1; 0: not given */
    bool has_profile; /* the file has a colour profile, which this program does not interpret */
};

struct image_reader {
    FILE *file;
    char *buffer;         /* owned: the stream's buffer */
    const char *name;     /* for messages; not owned */
    int64_t file_bytes;   /* length of a regular file; -1 if unknown, as for a pipe */
    int64_t max_pixels;   /* limit for width x height in a header */
    int64_t max_side;     /* limit for the width and the height in a header */
    int64_t max_channels; /* limit for the channels in a header */
    /* Limit for the bytes of metadata; 0: keep no metadata but EXIF's or TIFF's orientation. */
    int64_t max_metadata;
    /* The images are the planes of a stack. NPY: the array's first axis counts the planes. */
    bool stack;
    /* The tables for decoding samples to linear light; NULL: do not decode. */
    struct lights *lights;
    const struct mask *mask; /* which pixels count; NULL: all */
    int64_t images;          /* images read so far */
    int64_t planes;          /* NPY, if `stack`: how many images the file has; else 0: unknown */
    int64_t most_images;     /* TIFF, if `stack`: an upper bound for the number of images; else 0 */
    /* The items are those of the current image, or of the last one if there is no current image. */
    struct metadata metadata;
    char no_data[32];          /* TIFF: text of the tag GDAL_NODATA read last; "": none */
    struct image_curve curve;  /* of the current image */
    const struct light *light; /* the tables that decode the current image; or NULL */
    /* owned: tables that `lights` does not own, or NULL. They stay while further images have the
     * same curve, since the pages of a volume that were read before are encoded by them. */
    struct light *own_light;
    bool has_alpha; /* if `light` is set: the current image has alpha */
    bool widened;   /* the current image gets one more channel, the mask's */
    const struct codec *codec;
    void *kept; /* owned: the codec's state for the file; or NULL */
    /* owned: the codec's state for the current image; NULL: there is no image. */
    void *reading;
    enum row_order order; /* the order in which the current image's rows may be read */
    /* About how many bytes of memory reading takes besides the caller's rows; 0: few. */
    int64_t bytes;
    /* TIFF: the samples are compressed. */
    bool compressed;
    /* To choose between TIFF and BigTIFF: the approximate bytes of the samples of all images in
     * memory, or of the first image if all images are small. 0: about those of the file. */
    int64_t expected_bytes;
    bool at_end;  /* the file is known to end with the image read last */
    bool another; /* PNG, NPY: a second image follows, which is not read */
};

/* Returns the name for messages: "standard input" for "-", else the path. */
const char *image_reader_name(const char *path);

/* Opens path ("-": standard input) and finds the codec by the first bytes. Sets the other limits to
 * their defaults and max_metadata to 0; the caller may change them. The reader keeps the pointer
 * `path`. Returns STATUS_UNSUPPORTED for a format that is recognised but not supported (GIF, WebP
 * ...); STATUS_INPUT if the file cannot be opened or read, or is not recognised. On failure the
 * reader is closed. */
enum status image_reader_open(struct image_reader *reader, const char *path, int64_t max_pixels,
                              struct error *error);

/* Reads the next header. *header is the image without samples: it owns no memory and points to
 * reader->metadata. Its rows can then be read in reader->order, until image_reader_finish. *found
 * is false at the end of the stream; a stream without any image is an error. With reader->lights,
 * *header describes the decoded image; with reader->mask, an image of integers has one more
 * channel, the mask's. Returns STATUS_UNSUPPORTED if the mask has another size. */
enum status image_reader_begin(struct image_reader *reader, struct image *header, bool *found,
                               struct error *error);

/* Reads rows first..first+count-1 into *image, from row `to` of *image on, and checks their samples
 * against the maxval. */
enum status image_reader_read(const struct image_reader *reader, int64_t first, int64_t count,
                              const struct image *image, int64_t to, struct error *error);

/* Reads to the image's end, after its last row, and completes the metadata. */
enum status image_reader_finish(struct image_reader *reader, struct error *error);

/* Reads all of the current image, with several threads if its format allows, and finishes it.
 * `memory` has as many bytes as image_lay_out() returns, and belongs to the caller. If it is NULL,
 * *image gets memory of its own, which the caller frees. *image is empty after a failure. */
enum status image_reader_load(struct image_reader *reader, const struct image *header, int threads,
                              void *memory, struct image *image, struct error *error);

/* Closes the file and frees the state of the current image. */
void image_reader_close(struct image_reader *reader);

/* Sets *codec to the codec that recognises the first bytes of the regular file `path`, or to NULL
 * if none does. Returns STATUS_INPUT if the file cannot be read. */
enum status image_reader_recognise(const char *path, const struct codec **codec,
                                   struct error *error);

#endif
