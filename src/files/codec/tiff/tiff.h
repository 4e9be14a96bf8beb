/* SPDX-License-Identifier: MIT */
/* What reading and writing TIFF share. Includes libtiff's header: only for this folder. */
#ifndef SMOOTHIMG_CODEC_TIFF_H
#define SMOOTHIMG_CODEC_TIFF_H

#include "src/files/codec/codec.h"

#include <tiffio.h>

/* libtiff on one file, from its first image to its last. Its errors and warnings come here: nothing
 * global is set, so that threads do not disturb each other. */
struct tiff_handle {
    TIFF *tif;
    const char *name;   /* of the file, for messages */
    enum status status; /* of errors, but for STATUS_UNSUPPORTED: STATUS_INPUT or STATUS_OUTPUT */
    int fd;
    int64_t position, bytes; /* in the file; its length, with the room that is kept free */
    bool keeps_free;         /* a write leaves the file as it is: its bytes come later */
    int reason;              /* errno of a read or write that failed; 0: none did */
    char fault[200];         /* libtiff's first error since tiff_fault; "" if there is none */
    struct metadata_notes warnings; /* libtiff's */
};

/* Opens libtiff on a file. mode: as TIFFOpen has it. Returns NULL without memory, or if the file is
 * no TIFF: *error then says why. */
struct tiff_handle *tiff_handle_open(const char *name, FILE *file, int64_t bytes, const char *mode,
                                     struct error *error);
void tiff_handle_close(void *handle); /* but for its own memory */

/* The error after a call of libtiff failed: the system's reason, or libtiff's. where: what the call
 * was about, such as "row 17", or NULL. Returns handle->status. */
enum status tiff_fault(struct tiff_handle *handle, const char *where, struct error *error);

/* Reads or writes at the offset; libtiff's position stays. Returns how many bytes: fewer at the end
 * of the file, and after a failure, which tiff_handle_check returns. */
tmsize_t tiff_handle_move(struct tiff_handle *handle, bool writes, int64_t offset, void *bytes,
                          tmsize_t count);

#define TIFF_MAX_RATIO 4096 /* bytes that one byte of a compression expands to, at the most */

/* Has a read failed, or libtiff reported an error, in a call that succeeded? */
enum status tiff_handle_check(struct tiff_handle *handle, struct error *error);

/* The kind of the current image, if it is one that this program takes. */
struct tiff_kind {
    struct shape shape;
    const char *type;     /* for image->tuple_type: colours and alpha */
    uint16_t compression; /* libtiff's number */
    bool inverted;        /* min-is-white: 0 is white in the file and black in memory */
    bool planar;          /* each channel has its own rows */
    bool tiled;
    int64_t block_rows; /* rows of a strip or a tile */
};

/* Is the compression of the current image one that is read? STATUS_UNSUPPORTED names it. */
enum status tiff_kind_check_compression(const struct tiff_handle *handle, struct error *error);

/* The error after libtiff refused the current directory: its reason, or old JPEG, of which many
 * files break rules of TIFF. */
enum status tiff_kind_fault(struct tiff_handle *handle, struct error *error);

/* Finds the kind. STATUS_UNSUPPORTED names what it is instead, and a tool that converts it. */
enum status tiff_kind_find(struct tiff_handle *handle, struct tiff_kind *kind, struct error *error);

/* Does each strip and tile lie in the file, after the header? STATUS_INPUT names one that does not.
 * libtiff reads those without compression wherever their offset is, whatever their length. */
enum status tiff_parts_check(const struct tiff_handle *handle, const struct tiff_kind *kind,
                             struct error *error);

/* Bits in the file for a row, at the least; tiles may be larger than the image. */
double tiff_kind_min_bits(const struct tiff_handle *handle, const struct tiff_kind *kind);

/* Copies the tags of the current image that are kept into reader->metadata, and notes others;
 * without metadata the orientation alone. */
enum status tiff_tags_read(struct tiff_handle *handle, struct image_reader *reader,
                           struct error *error);

/* Sets the tags of an image that was read from a TIFF file, as the operations have changed them. */
enum status tiff_tags_write(struct tiff_handle *handle, const struct image *header,
                            struct error *error);

/* Does strip or tile `index`, which libtiff has decoded, end where its rows do? libtiff stops
 * decoding with the last row: it neither comes to the checksum of a deflate stream that goes on,
 * nor sees that a damaged code has made more of the data. Reads the part's bytes again. where: as
 * of tiff_fault. */
enum status tiff_part_check_end(struct tiff_handle *handle, const struct tiff_kind *kind,
                                uint32_t index, const char *where, struct error *error);

/* Rows of the current image through libtiff, in order. All zero: not open. */
struct tiff_rows {
    struct tiff_handle *handle;
    struct tiff_kind kind;
    struct image block; /* of tiles or planes; no memory before the first row is read */
    int64_t block_at;   /* its first row; -1: none has been read */
    uint8_t *part;      /* owned: a tile, or a plane's strip */
    int64_t part_bytes;
};

/* *bytes: the memory that rows will take, with libtiff's own. Allocates nothing yet. */
enum status tiff_rows_open(struct tiff_rows *rows, struct tiff_handle *handle,
                           const struct tiff_kind *kind, int64_t *bytes, struct error *error);
enum status tiff_rows_read(struct tiff_rows *rows, int64_t first, int64_t count,
                           const struct image *image, int64_t to, struct error *error);
void tiff_rows_close(struct tiff_rows *rows);

#endif
