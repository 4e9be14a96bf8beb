/* SPDX-License-Identifier: MIT */
/* The header of a PBM, PGM, PPM or PAM file: from the file into memory, where libnetpbm parses it.
 */
#ifndef SMOOTHIMG_CODEC_PNM_HEADER_H
#define SMOOTHIMG_CODEC_PNM_HEADER_H

#include "src/files/codec/codec.h"

#define PNM_HEADER_BYTES 4096 /* at the most, without comments */

struct pnm_header {
    char text[PNM_HEADER_BYTES]; /* without comments, and without what means nothing */
    size_t count;
};

/* Reads the header at the stream's position, no byte beyond it, and keeps its comments in
 * reader->metadata. Where the file ends, the header does. STATUS_INPUT for what libnetpbm would
 * take in another way: a byte that is neither a number nor white space, or a long line of PAM; for
 * comments above reader->max_metadata; and if the file cannot be read. */
enum status pnm_header_read(struct image_reader *reader, struct pnm_header *header,
                            struct error *error);

#endif
