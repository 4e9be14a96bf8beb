/* SPDX-License-Identifier: MIT */
/* A stream between a file and libnetpbm, for reading a header.
 *   - It keeps the comments, which libnetpbm drops.
 *   - PBM, PGM, PPM: it ends at a byte that is neither a number nor white space nor a comment;
 *     libnetpbm accepts such a byte after a number.
 *   - PAM: it leaves out empty tuple types, which libnetpbm refuses, and comments: libnetpbm 11.01
 *     splits long ones, takes quadratic time for many, and frees them twice when out of memory. */
#ifndef SMOOTHIMG_CODEC_PNM_COMMENTS_H
#define SMOOTHIMG_CODEC_PNM_COMMENTS_H

#include "src/files/codec/codec.h"

#define PNM_LINE_BYTES 255 /* libnetpbm reads a line of a PAM header in pieces of this length */

/* The state of the stream. It begins as zeros, but for the reader. */
struct pnm_recorder {
    struct image_reader *reader;
    uint8_t *comment;   /* owned: the current one so far, if metadata is kept */
    size_t count, room; /* bytes used, bytes allocated */
    int64_t taken;      /* bytes of the header, if metadata is kept */
    struct error fault; /* why the stream has ended early; STATUS_OK: it has not */
    int64_t passed;     /* bytes given to libnetpbm */
    bool pam;
    bool in_comment;           /* PBM, PGM, PPM */
    char line[PNM_LINE_BYTES]; /* PAM: a line, or a piece of one */
    size_t line_at, line_end;  /* of `line`: the next byte for libnetpbm, and the end */
    bool at_line_start;        /* PAM: the next piece begins a line after the first */
};

/* The next byte of the stream, which reads the reader's file, never a byte beyond the header.
 * Returns 1, or 0 at the end. */
ssize_t pnm_recorder_read(struct pnm_recorder *recorder, char *byte);

/* After the last byte: the comments are in reader->metadata. failed: libnetpbm's status. Returns
 * it, or STATUS_INPUT if the stream ended early: *error says why. */
enum status pnm_recorder_close(struct pnm_recorder *recorder, enum status failed,
                               struct error *error);

/* Writes the image's comments as lines after the magic number, where every reader skips them. */
enum status pnm_write_comments(const struct image_writer *writer, const struct image *image,
                               struct error *error);

#endif
