/* SPDX-License-Identifier: MIT */
/* Comments in the headers of PBM, PGM, PPM and PAM. libnetpbm drops those of the first three, so a
 * header passes through a tape on its way there. For codec_pnm*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNM_COMMENTS_H
#define SMOOTHIMG_CODEC_PNM_COMMENTS_H

#include "codec.h"

/* What was read of a header. */
struct pnm_tape {
    struct source *source;
    uint8_t *bytes; /* owned */
    size_t count, room;
    bool too_long, no_memory; /* the header seems to end there */
};

/* A stream that reads the source's file byte by byte, never one more than is asked for, and notes
 * them on the tape, if metadata is kept. NULL without memory. */
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
