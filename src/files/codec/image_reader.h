/* SPDX-License-Identifier: MIT */
/* Reads the images of a file one after the other, whole or some rows at a time. The content decides
 * the format, not the name. */
#ifndef SMOOTHIMG_IMAGE_READER_H
#define SMOOTHIMG_IMAGE_READER_H

#include "src/files/codec/metadata.h"
#include "src/files/light/light.h"
#include "src/files/mask/mask.h"
#include "src/lib/base/error.h"

#include <stdio.h>

/* Limits that no real image reaches. A reader needs memory for a row before it has seen a sample.
 */
#define MAX_SIDE_DEFAULT ((int64_t)1 << 24)
#define MAX_CHANNELS_DEFAULT ((int64_t)1 << 12)

/* How the rows of an image may be read or written. */
enum row_order {
    ROWS_IN_ORDER,    /* each once, from the top, one call at a time */
    ROWS_AT_ONCE,     /* all of them in one call */
    ROWS_IN_ANY_ORDER /* several calls at the same time, by several threads */
};

/* What a file says of the curve of its samples. All zero: nothing. */
struct image_curve {
    bool is_srgb;
    uint32_t gamma;   /* in 1/100000; 0: not given */
    bool has_profile; /* which this program does not read */
};

/* An open input. */
struct image_reader {
    FILE *file;
    char *buffer;              /* owned: the stream's buffer */
    const char *name;          /* for messages; not owned */
    int64_t file_bytes;        /* length of a regular file; -1 if unknown (a pipe) */
    int64_t max_pixels;        /* limit of width x height in a header */
    int64_t max_side;          /* limit of width and of height in a header */
    int64_t max_channels;      /* limit of channels in a header */
    int64_t max_metadata;      /* limit of the bytes of metadata; 0: keep none but how a viewer
                                * turns the image, of EXIF and TIFF */
    bool stack;                /* an array has its planes first: each is an image */
    struct lights *lights;     /* decode samples to linear light with these; NULL: do not */
    const struct mask *mask;   /* which pixels count; NULL: all */
    int64_t images;            /* images read so far */
    int64_t planes;            /* of a stack: the images that the file has; 0: not known */
    struct metadata metadata;  /* of the current image, or of the last one */
    struct image_curve curve;  /* of the current image */
    const struct light *light; /* likewise, if it is decoded; else NULL */
    struct light *own_light;   /* owned: light, if the run does not keep it */
    bool has_alpha;            /* likewise, if it is decoded */
    bool widened;              /* likewise: it gets a channel from the mask */
    const struct codec *codec;
    void *kept;             /* owned: the codec's state of the file; or NULL */
    void *reading;          /* owned: the codec's state of the current image; NULL: no image */
    enum row_order order;   /* how the current image's rows can be read */
    int64_t bytes;          /* memory that reading its rows will take, beyond that of the caller */
    bool compressed;        /* its samples are compressed, in a file that need not be */
    int64_t expected_bytes; /* of the samples of all images, about; 0: unknown */
    bool at_end;            /* nothing follows the last image */
};

/* What messages call an input: "standard input" for "-", else its path. */
const char *image_reader_name(const char *path);

/* Opens path ("-": standard input) and finds the codec by the first bytes. Sets the other limits to
 * their defaults and max_metadata to 0; the caller may change them. The reader keeps `path`.
 * STATUS_INPUT if the file cannot be opened or is not an image; STATUS_UNSUPPORTED if it is an
 * image of another format (GIF, WebP ...). On failure the reader is closed. */
enum status image_reader_open(struct image_reader *reader, const char *path, int64_t max_pixels,
                              struct error *error);

/* Reads the next header. *header is the image without samples: it owns no memory and points to
 * reader->metadata. Its rows can then be read in reader->order, until image_reader_finish. *found
 * is false at the end of the stream; a stream without any image is an error. With reader->lights
 * the header is that of the decoded image; with reader->mask and integers it has a channel more.
 * STATUS_UNSUPPORTED if the mask has another size. */
enum status image_reader_begin(struct image_reader *reader, struct image *header, bool *found,
                               struct error *error);

/* Reads rows first..first+count-1 into rows to..to+count-1 of *image, and checks their samples
 * against the maxval. */
enum status image_reader_read(const struct image_reader *reader, int64_t first, int64_t count,
                              const struct image *image, int64_t to, struct error *error);

/* After the last row: reads to the image's end and completes the metadata. */
enum status image_reader_finish(struct image_reader *reader, struct error *error);

/* Reads all of the current image, by several threads where its format allows, and finishes it.
 * memory: the caller's, image_needs() bytes; NULL: *image has its own, and the caller frees
 * it. It is empty on failure. */
enum status image_reader_load(struct image_reader *reader, const struct image *header, int threads,
                              void *memory, struct image *image, struct error *error);

/* Closes the file, and drops the current image. */
void image_reader_close(struct image_reader *reader);

/* Sets *codec to that of the image that the content of path, a regular file, looks like; NULL: it
 * looks like none. Opens the file, reads the first bytes, closes it. STATUS_INPUT if it cannot be
 * read. */
enum status image_reader_recognise(const char *path, const struct codec **codec,
                                   struct error *error);

#endif
