/* SPDX-License-Identifier: MIT */
/* The chunks of a PNG file on their way to libpng, which gets those that make the pixels: IHDR,
 * PLTE, tRNS, IDAT (by codec_png_samples.c), IEND, and critical ones that nobody knows. All others
 * are metadata. They are taken out here, as they are: nothing in them is decompressed or
 * interpreted by libpng, so that damaged profiles and texts can do no harm, and what is kept is
 * kept to the byte. For codec_png*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_CHUNKS_H
#define SMOOTHIMG_CODEC_PNG_CHUNKS_H

#include "codec_png_samples.h"

/* Where in the file a chunk stands. */
enum png_place { BEFORE_HEADER, BEFORE_PALETTE, BEFORE_SAMPLES, IN_SAMPLES, BEHIND_SAMPLES };

struct png_chunks {
    struct source *source;
    enum png_place place;
    uint8_t head[PNG_HEAD_BYTES]; /* of the chunk in work */
    size_t head_left; /* of these bytes, the last so many have not been given to libpng */
    uint32_t kept;    /* png_chunk_bit of the chunks that are kept */
    uint64_t pass;    /* bytes of the file that go to libpng as they are, after the head */
    struct png_samples samples;
};

/* The stream stands at the signature; source->metadata is empty. */
void png_chunks_begin(struct png_chunks *chunks, struct source *source);

/* The next bytes for libpng. Metadata between them goes into source->metadata. STATUS_INPUT where
 * the file ends, metadata is above source->max_metadata, samples are damaged, or a chunk that makes
 * pixels is where it may not be. */
enum status png_chunks_read(struct png_chunks *chunks, uint8_t *bytes, size_t count,
                            struct error *error);

/* Gives memory back. Harmless at any time. */
void png_chunks_drop(struct png_chunks *chunks);

#endif
