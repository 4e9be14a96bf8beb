/* SPDX-License-Identifier: MIT */
/* A filter between a PNG file and libpng. libpng gets only the chunks that make pixels: IHDR, PLTE,
 * tRNS, IDAT (through samples.c), IEND, and unknown critical chunks. All others are metadata, which
 * is stored here byte for byte. libpng never decompresses or interprets it, so a damaged profile or
 * text does no harm.
 *
 * libpng's own interface for unknown chunks does not replace this: it hands over a chunk whose
 * checksum is wrong, allocates by the length in the file before the data are there, and cannot make
 * a wrong checksum an error for tRNS and a note for the rest. */
#ifndef SMOOTHIMG_CODEC_PNG_CHUNKS_H
#define SMOOTHIMG_CODEC_PNG_CHUNKS_H

#include "src/files/codec/png/samples.h"

/* A position in the file. */
enum png_position { BEFORE_HEADER, BEFORE_PALETTE, BEFORE_SAMPLES, IN_SAMPLES, AFTER_SAMPLES };

struct png_chunks {
    struct image_reader *reader;
    enum png_position position;
    uint8_t head[PNG_HEAD_BYTES]; /* of the current chunk */
    size_t head_left;             /* bytes at the end of `head` that libpng has not got */
    uint32_t kept;                /* png_chunk_bit of the chunks that are kept */
    uint64_t pass;                /* bytes of the file after `head` that go to libpng unchanged */
    struct png_samples samples;
};

/* The stream is at the signature; reader->metadata is empty. */
void png_chunks_begin(struct png_chunks *chunks, struct image_reader *reader);

/* The next bytes for libpng. Metadata between them goes into reader->metadata. STATUS_INPUT if the
 * file ends, metadata exceeds reader->max_metadata, samples are damaged, or a chunk that makes
 * pixels is at a wrong position. */
enum status png_chunks_read(struct png_chunks *chunks, uint8_t *bytes, size_t count,
                            struct error *error);

/* Frees the memory. Harmless at any time. */
void png_chunks_drop(struct png_chunks *chunks);

#endif
