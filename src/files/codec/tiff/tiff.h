/* SPDX-License-Identifier: MIT */
/* Shared by the reader and the writer of TIFF. Includes libtiff's header, so it is for this folder
 * only. */
#ifndef SMOOTHIMG_CODEC_TIFF_H
#define SMOOTHIMG_CODEC_TIFF_H

#include "src/files/codec/codec.h"

#include <tiffio.h>

/* libtiff on one file, from its first image to its last. Its errors and warnings arrive here:
 * nothing global is set, so threads do not disturb each other. */
struct tiff_handle {
    TIFF *tif;
    const char *name; /* of the file, for messages */
    /* Status of errors other than STATUS_UNSUPPORTED: STATUS_INPUT or STATUS_OUTPUT. */
    enum status status;
    int fd;
    /* The position in the file; its length, with the space that is kept free. */
    int64_t position, bytes;
    bool keeps_free; /* writes leave the file unchanged: its bytes come later */
    int reason;      /* errno of a failed read or write; 0: none has failed */
    char fault[200]; /* libtiff's first error since tiff_fault; "" if there is none */
    struct metadata_notes warnings; /* libtiff's */
};

/* Opens libtiff on a file. `mode` is as for TIFFOpen. Returns NULL without memory, or if the file
 * is not TIFF: *error then says why. */
struct tiff_handle *tiff_handle_open(const char *name, FILE *file, int64_t bytes, const char *mode,
                                     struct error *error);
void tiff_handle_close(void *handle); /* but for its own memory */

/* Returns the error after a failed call of libtiff: the system's reason, or libtiff's. `where` says
 * what the call was about, such as "row 17", or is NULL. Returns handle->status. */
enum status tiff_fault(struct tiff_handle *handle, const char *where, struct error *error);

/* Reads or writes at the offset; libtiff's position does not change. Returns the number of bytes:
 * fewer at the end of the file, and after a failure, which tiff_handle_check then returns. */
tmsize_t tiff_handle_move(struct tiff_handle *handle, bool writes, int64_t offset, void *bytes,
                          tmsize_t count);

#define TIFF_MAX_RATIO 4096 /* the most bytes that one byte of any compression expands to */

/* Returns the error if a read has failed, or libtiff has reported an error, in a call that
 * succeeded. */
enum status tiff_handle_check(struct tiff_handle *handle, struct error *error);

/* The kind of the current image, if it is supported. */
struct tiff_kind {
    struct shape shape;
    const char *type;     /* for image->tuple_type: colours and alpha */
    uint16_t compression; /* libtiff's number */
    bool inverted;        /* min-is-white: 0 is white in the file and black in memory */
    bool planar;          /* each channel has its own rows */
    bool tiled;
    int64_t block_rows; /* rows of a strip or a tile */
};

/* Checks that the current image's compression is supported. STATUS_UNSUPPORTED names it. */
enum status tiff_kind_check_compression(const struct tiff_handle *handle, struct error *error);

/* Returns the error after libtiff has refused the current directory: its reason, or that it is old
 * JPEG, of which many files break rules of TIFF. */
enum status tiff_kind_fault(struct tiff_handle *handle, struct error *error);

/* Finds the kind. STATUS_UNSUPPORTED names what the image is instead, and a tool that converts it.
 */
enum status tiff_kind_find(struct tiff_handle *handle, struct tiff_kind *kind, struct error *error);

/* Checks that each strip and tile is inside the file, after the header. STATUS_INPUT names one that
 * is not. libtiff reads uncompressed ones at any offset, with any length. */
enum status tiff_parts_check(const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error);

/* Returns the least bits in the file for a row; tiles may be larger than the image. */
double tiff_kind_min_bits(const struct tiff_handle *handle, const struct tiff_kind *kind);

/* Copies the current image's kept tags into reader->metadata, and notes the others; if no metadata
 * is kept, copies only the orientation. */
enum status tiff_tags_read(struct tiff_handle *handle, struct image_reader *reader,
                           struct error *error);

/* Sets the tags of an image that was read from a TIFF file, as the operations have changed them. */
enum status tiff_tags_write(struct tiff_handle *handle, const struct image *header,
                            struct error *error);

/* Checks that strip or tile `index`, which libtiff has decoded, ends with its rows. libtiff stops
 * decoding after the last row: it does not reach the checksum of a deflate stream that goes on, and
 * does not see that a damaged code has made more data. Reads the part's bytes again. `where` is as
 * for tiff_fault. */
enum status tiff_part_check_end(struct tiff_handle *handle, const struct tiff_kind *kind,
                                uint32_t index, const char *where, struct error *error);

/* The rows of the current image, read through libtiff in order. All zeros: not open. */
struct tiff_rows {
    struct tiff_handle *handle;
    struct tiff_kind kind;
    struct image block; /* for tiles or planes; without memory until the first row is read */
    int64_t block_at;   /* the block's first row; -1: none has been read */
    uint8_t *part;      /* owned: a tile, or a plane's strip */
    int64_t part_bytes;
};

/* *bytes is set to the memory that reading rows will take, with libtiff's own. Allocates nothing
 * yet. */
enum status tiff_rows_open(struct tiff_rows *rows, struct tiff_handle *handle,
                           const struct tiff_kind *kind, int64_t *bytes, struct error *error);
enum status tiff_rows_read(struct tiff_rows *rows, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error);
void tiff_rows_close(struct tiff_rows *rows);

#endif
