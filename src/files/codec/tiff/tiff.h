/* SPDX-License-Identifier: MIT */
/* Declarations for this folder only: files elsewhere do not include libtiff's header. */
#ifndef SMOOTHIMG_CODEC_TIFF_H
#define SMOOTHIMG_CODEC_TIFF_H

#include "src/files/codec/codec.h"

#include <tiffio.h>

/* libtiff's state for one file. libtiff's errors and warnings are stored here, not in global
 * variables, so that several threads can use libtiff. */
struct tiff_handle {
    TIFF *tif;        /* NULL after a failure of tiff_handle_allow */
    const char *name; /* of the file, for messages */
    /* STATUS_INPUT or STATUS_OUTPUT: the status of all errors, except for images that are not
     * supported (STATUS_UNSUPPORTED). */
    enum status status;
    int fd;
    /* position: where libtiff reads or writes next. bytes: the file's length, including the space
     * that is kept free for samples. */
    int64_t position, bytes;
    int64_t most;    /* maximum number of bytes that libtiff may allocate at a time to read */
    bool keeps_free; /* libtiff's writes only keep space free: raw.c writes the samples later */
    int reason;      /* errno of a failed read or write; 0: none has failed */
    char fault[200]; /* the first error, or serious warning, since tiff_fault; "": none */
    struct metadata_notes warnings; /* libtiff's warnings, each once */
};

/* Opens libtiff on a file of `bytes` bytes. `mode` is as for TIFFOpen. Returns NULL if memory runs
 * out, or if the file is not TIFF: *error then says why. */
struct tiff_handle *tiff_handle_open(const char *name, FILE *file, int64_t bytes, const char *mode,
                                     struct error *error);
void tiff_handle_close(void *handle); /* does not free the struct itself */

/* Lets libtiff allocate `bytes` at a time when it reads the current image and those that follow.
 * What libtiff has returned about the image is no longer valid. */
enum status tiff_handle_allow(struct tiff_handle *handle, int64_t bytes, struct error *error);

/* Fills *error after a failed call of libtiff, with the reason that the system or libtiff gives.
 * `where` says what the call was about, such as "row 17", or is NULL. Returns handle->status. */
enum status tiff_fault(struct tiff_handle *handle, const char *where, struct error *error);

/* Reads or writes at the offset; libtiff's position does not change. Returns the number of bytes
 * moved: fewer than count at the end of the file, and after a failure, which tiff_handle_check
 * reports. */
tmsize_t tiff_handle_move(struct tiff_handle *handle, bool writes, int64_t offset, void *bytes,
                          tmsize_t count);

#define TIFF_MAX_RATIO 4096 /* a compressed byte expands to at most this many bytes */

/* Returns an error if a read has failed or libtiff has reported an error, although libtiff's call
 * returned success. */
enum status tiff_handle_check(struct tiff_handle *handle, struct error *error);

/* The kind of the current image, if it is supported. */
struct tiff_kind {
    struct shape shape;
    const char *type;     /* for image->tuple_type: colours and alpha */
    uint16_t compression; /* libtiff's number */
    bool inverted;        /* min-is-white: grey 0 is white in the file and black in memory */
    bool planar;          /* the channels are stored one after another, not pixel by pixel */
    bool tiled;
    int64_t block_rows; /* rows of a strip or a tile */
};

/* Returns STATUS_UNSUPPORTED, with the compression's name in *error, if the current image's
 * compression is not supported. */
enum status tiff_kind_check_compression(const struct tiff_handle *handle, struct error *error);

/* Returns the error after libtiff has refused the current directory. The message is libtiff's
 * reason, unless the image is old-style JPEG: the message then says that this is not supported,
 * since many such files break TIFF's rules. */
enum status tiff_kind_fault(struct tiff_handle *handle, struct error *error);

/* Sets *kind to the kind of the current image. If the image is not supported, returns
 * STATUS_UNSUPPORTED: *error says what the image is, and names a tool that converts it. */
enum status tiff_kind_find(struct tiff_handle *handle, struct tiff_kind *kind, struct error *error);

/* Checks that each strip or tile begins after the file's header and before its end, and that an
 * uncompressed one has all its bytes in the file, which libtiff does not check. If one does not,
 * returns STATUS_INPUT, and *error names the first such strip or tile. */
enum status tiff_parts_check(const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error);

/* Returns the minimum number of bits that a row of the image takes in the file. Tiles count as a
 * whole, even if they reach beyond the image's edges. */
double tiff_kind_min_bits(const struct tiff_handle *handle, const struct tiff_kind *kind);

/* Returns how many bytes libtiff may allocate to decode a row: to undo the predictor for floats it
 * copies each row of a strip or tile. */
int64_t tiff_kind_row_bytes(const struct tiff_handle *handle, const struct tiff_kind *kind);

/* Copies into reader->metadata those tags of the current image that are kept, and notes the names
 * of all other tags. If the reader keeps no metadata, only copies the orientation. Sets
 * reader->no_data, if the image has that tag. */
enum status tiff_tags_read(struct tiff_handle *handle, struct image_reader *reader,
                           struct error *error);

/* Sets the metadata tags of an image to be written. If the image was read from TIFF, they are the
 * input's tags, adapted to header->changes. If the image was read from another format, they are the
 * image's colour profile, XMP and orientation. */
enum status tiff_tags_write(struct tiff_handle *handle, const struct image *header,
                            struct error *error);

/* Checks that the data of strip or tile `index`, which libtiff has decoded, end with the last row
 * of that strip or tile. libtiff stops after that row: it checks neither the checksum at the end of
 * a deflate stream, nor whether more samples follow, as they do after a damaged code. So this
 * function decodes the data again. `where` is as for tiff_fault. */
enum status tiff_part_check_end(struct tiff_handle *handle, const struct tiff_kind *kind,
                                uint32_t index, const char *where, struct error *error);

/* The rows of the current image, read through libtiff in order. All zeros: not open. */
struct tiff_rows {
    struct tiff_handle *handle;
    struct tiff_kind kind;
    struct image block; /* the current block of rows; has no memory before the first one */
    int64_t block_at;   /* the block's first row; -1: none has been read */
    uint8_t *part;      /* owned: a strip or tile, as libtiff decodes it */
    int64_t part_bytes;
};

/* Prepares for reading rows. Allocates nothing yet, but sets *bytes to about the number of bytes
 * of memory that reading will take, in libtiff too. */
enum status tiff_rows_open(struct tiff_rows *rows, struct tiff_handle *handle,
                           const struct tiff_kind *kind, int64_t *bytes, struct error *error);
enum status tiff_rows_read(struct tiff_rows *rows, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error);
void tiff_rows_close(struct tiff_rows *rows);

#endif
