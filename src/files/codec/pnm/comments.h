/* SPDX-License-Identifier: MIT */
/* A filter between a Netpbm header and libnetpbm: records the comments, which libnetpbm drops (PBM,
 * PGM, PPM); refuses a byte that is neither number nor white space, which libnetpbm accepts after a
 * number; removes an empty tuple type, which libnetpbm refuses (PAM). */
#ifndef SMOOTHIMG_CODEC_PNM_COMMENTS_H
#define SMOOTHIMG_CODEC_PNM_COMMENTS_H

#include "src/files/codec/codec.h"

#define PNM_LINE_BYTES 255 /* libnetpbm reads a line of a PAM header in pieces of this length */

/* The state of reading a header. */
struct pnm_tape {
    struct image_reader *reader;
    uint8_t *bytes; /* owned */
    size_t count, room;
    bool too_long, no_memory; /* why the header was cut short */
    int stray;                /* or the unexpected byte that cut it short; -1: none */
    int64_t passed;           /* bytes given to libnetpbm */
    bool pam;
    bool in_comment;           /* PBM, PGM, PPM */
    char line[PNM_LINE_BYTES]; /* PAM: a line, or a piece of one */
    size_t line_at, line_end;
    bool whole; /* PAM: the next piece begins a line */
};

/* Opens a stream for libnetpbm that reads the reader's file, never a byte beyond the header.
 * Records the bytes in *tape if metadata is kept. Leaves out PAM's comments: libnetpbm 11.01 splits
 * long ones, takes quadratic time for many, and frees them twice when out of memory. NULL without
 * memory.
 */
FILE *pnm_tape_open(struct pnm_tape *tape, struct image_reader *reader);

/* After the header: closes the stream, and adds the comments to reader->metadata. failed:
 * libnetpbm's status; it is returned unless *tape knows the cause of the failure. */
enum status pnm_tape_close(struct pnm_tape *tape, FILE *stream, enum status failed,
                           struct error *error);

/* Writes the image's comments as lines after the magic number, where every reader skips them. */
enum status pnm_write_comments(const struct image_writer *writer, const struct image *image,
                               struct error *error);

#endif
