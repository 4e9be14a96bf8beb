/* SPDX-License-Identifier: MIT */
/* Headers of PBM, PGM, PPM and PAM pass through a tape on their way to libnetpbm, which drops the
 * comments of the first three, takes any byte after a number for white space, and refuses an empty
 * tuple type. For codec_pnm*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNM_COMMENTS_H
#define SMOOTHIMG_CODEC_PNM_COMMENTS_H

#include "codec.h"

#define PNM_LINE_BYTES 255 /* libnetpbm takes a line of a PAM's header in pieces of this length */

/* What was read of a header. */
struct pnm_tape {
    struct source *source;
    uint8_t *bytes; /* owned */
    size_t count, room;
    bool too_long, no_memory; /* the header seems to end there */
    int stray;                /* and where this byte is, which belongs to none; or -1 */
    int64_t passed;           /* bytes that libnetpbm has got */
    bool pam;
    bool in_comment;           /* of PBM, PGM and PPM */
    char line[PNM_LINE_BYTES]; /* of a PAM: a line, or a piece of one */
    size_t line_at, line_end;
    bool whole; /* the next line is not the rest of another */
};

/* A stream that reads the source's file, never a byte beyond the header, and notes what it reads on
 * the tape, if metadata is kept. It lacks PAM's comments: libnetpbm 11.01 cuts long ones into
 * lines, gathers them in a time that grows with the square of their number, and frees them twice
 * where memory lacks. NULL without memory. */
FILE *pnm_tape_open(struct pnm_tape *tape, struct source *source);

/* After the header: closes the stream, and puts the comments on the tape into source->metadata.
 * failed: what libnetpbm has said, or STATUS_OK; it is passed on unless the tape knows better. */
enum status pnm_tape_close(struct pnm_tape *tape, FILE *stream, enum status failed,
                           struct error *error);

/* Writes the image's comments, each on lines of its own: where they stand in the header, readers of
 * all kinds skip them, whatever bytes are in them. */
enum status pnm_write_comments(const struct sink *sink, const struct image *image,
                               struct error *error);

#endif
