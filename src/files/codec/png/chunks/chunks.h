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

#include "src/files/codec/codec.h"

#include <png.h>
#include <zlib.h>

#define PNG_HEAD_BYTES 8                /* a chunk's length and name */
#define PNG_CHUNK_MAX_BYTES 0x7fffffffu /* by the specification */
#define PNG_SAMPLES_BLOCK_BYTES 0xffff  /* largest stored block */

/* A position in the file. */
enum png_position { BEFORE_HEADER, BEFORE_PALETTE, BEFORE_SAMPLES, IN_SAMPLES, AFTER_SAMPLES };

/* Inflates the IDAT chunks of the file and gives libpng the same rows in IDAT chunks of stored
 * (uncompressed) blocks. So the end of the last sample is known exactly: a fault before it is an
 * error, a fault after it is a warning. With libpng alone that depends on how far zlib has read
 * ahead. */
struct png_samples {
    struct image_reader *reader;
    z_stream zlib;        /* open if zlib.state is set */
    int result;           /* of its last call: Z_OK, or why nothing more comes */
    uint8_t input[16384]; /* compressed bytes for it */

    uint8_t head[PNG_HEAD_BYTES]; /* of the current chunk */
    uint32_t left;                /* its bytes that have not been read */
    uint32_t crc;                 /* of its bytes that have been read */
    bool after;                   /* it begins after the last sample */
    bool over;                    /* it is not an IDAT: the image data have ended */
    const char *fault;            /* the first fault after the last sample, or NULL */

    uint64_t rows_left; /* bytes of filtered rows that have not been taken: set before the first */
    bool apart;         /* they go to another reader than libpng */
    size_t block_left;  /* bytes of the current stored block that libpng has not got */
    uint8_t frame[32];  /* the bytes between two blocks: chunk and block headers */
    size_t frame_at, frame_end;
    bool closed; /* this is the last frame */
};

/* The state of reading a file. */
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

/* The functions of samples.c, for chunks.c and png.c. */

/* The stream is after the head of the first IDAT chunk. */
enum status png_samples_begin(struct png_samples *samples, struct image_reader *reader,
                              const uint8_t head[PNG_HEAD_BYTES], struct error *error);

/* The next bytes for libpng: *given of them, at most count; 0 after the last one. STATUS_INPUT if
 * the file ends, or samples are damaged or missing. */
enum status png_samples_read(struct png_samples *samples, uint8_t *bytes, size_t count,
                             size_t *given, struct error *error);

/* The next count bytes of the filtered rows, for another reader than libpng, which then gets none
 * of them: no call of png_samples_read between. */
enum status png_samples_take(struct png_samples *samples, uint8_t *bytes, size_t count,
                             struct error *error);

/* After the last byte: reads the rest of the IDAT chunks, notes faults there in the reader's
 * metadata, and copies the head of the chunk that follows. */
enum status png_samples_finish(struct png_samples *samples, uint8_t head[PNG_HEAD_BYTES],
                               struct error *error);

/* Frees zlib's memory. Harmless at any time. */
void png_samples_drop(struct png_samples *samples);

/* The functions of chunks.c that samples.c uses. */

/* Reads the next bytes of the file. STATUS_INPUT if it ends. */
enum status png_take_bytes(struct image_reader *reader, uint8_t *bytes, size_t count,
                           struct error *error);

/* A chunk's name for a message, with ? for each byte that is not a letter. */
struct png_name {
    char text[5];
};
struct png_name png_name_of(const uint8_t head[PNG_HEAD_BYTES]);

#endif
