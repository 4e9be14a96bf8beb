/* SPDX-License-Identifier: MIT */
/* The chunks of a PNG file on their way to libpng, which gets those that make the pixels: IHDR,
 * PLTE, tRNS, IDAT, IEND, and critical ones that nobody knows. All others are metadata. They are
 * taken out here, as they are: nothing in them is decompressed or interpreted by libpng, so that
 * damaged profiles and texts can do no harm, and what is kept is kept to the byte. For codec_png*.c
 * alone. */
#ifndef SMOOTHIMG_CODEC_PNG_CHUNKS_H
#define SMOOTHIMG_CODEC_PNG_CHUNKS_H

#include "codec.h"

/* Where in the file a chunk stands. */
enum png_place { BEFORE_HEADER, BEFORE_PALETTE, BEFORE_SAMPLES, IN_SAMPLES, BEHIND_SAMPLES };

struct png_chunks {
    struct source *source;
    enum png_place place;
    uint8_t head[8];  /* length and name of the next chunk for libpng */
    size_t head_left; /* of these bytes, the last so many have not been given to it */
    uint32_t kept;    /* png_chunk_bit of those */
    uint64_t pass;    /* bytes of the file that go to it as they are, behind them */
};

/* The stream stands at the signature; source->metadata is empty. */
void png_chunks_begin(struct png_chunks *chunks, struct source *source);

/* The next bytes for libpng. Metadata between them goes into source->metadata. STATUS_INPUT where
 * the file ends, metadata is above source->max_metadata, or chunks of samples lie apart. */
enum status png_chunks_read(struct png_chunks *chunks, uint8_t *bytes, size_t count,
                            struct error *error);

#endif
