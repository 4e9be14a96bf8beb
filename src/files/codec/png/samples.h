/* SPDX-License-Identifier: MIT */
/* The samples of a PNG file on their way to libpng. The chunks IDAT are inflated here, and libpng
 * gets the same rows in chunks of stored blocks. So it is known where the last sample is: what is
 * wrong before it is an error, and what is wrong after it a warning. libpng alone refuses the last
 * row or not, by how much zlib has read. For codec_png*.c alone. */
#ifndef SMOOTHIMG_CODEC_PNG_SAMPLES_H
#define SMOOTHIMG_CODEC_PNG_SAMPLES_H

#include "codec.h"

#include <zlib.h>

#define PNG_HEAD_BYTES 8                /* of a chunk: its length and its name */
#define PNG_CHUNK_MAX_BYTES 0x7fffffffu /* by the format */
#define PNG_SAMPLES_BLOCK_BYTES 0xffff  /* at most, of a stored block */

struct png_samples {
    struct source *source;
    z_stream stream;
    bool open;            /* zlib has memory for the stream */
    uint8_t input[16384]; /* compressed bytes that zlib has not taken */

    uint8_t head[PNG_HEAD_BYTES]; /* of the chunk in work */
    uint32_t left;                /* bytes of it that have not been read */
    uLong crc;                    /* of those that have */
    bool after;                   /* it begins after the last sample */
    bool over;                    /* it is no IDAT: there are no more of them */
    const char *fault;            /* the first one after the last sample, or NULL */

    uint64_t rows_left; /* bytes of filtered rows that libpng has not got */
    size_t block_left;  /* of the stored block in work */
    uint8_t frame[32];  /* what surrounds the blocks */
    size_t frame_at, frame_end;
    bool closed; /* the frame is the last one */
};

/* The stream is after the head of the first IDAT. */
enum status png_samples_begin(struct png_samples *samples, struct source *source,
                              const uint8_t head[PNG_HEAD_BYTES], struct error *error);

/* How many bytes the filtered rows have: to be said before libpng reads the first of them. */
void png_samples_expect(struct png_samples *samples, uint64_t bytes);

/* The next bytes for libpng, *given of them; 0 after the last one. STATUS_INPUT where the file
 * ends, or samples are damaged or missing. */
enum status png_samples_read(struct png_samples *samples, uint8_t *bytes, size_t count,
                             size_t *given, struct error *error);

/* After the last byte: reads to the end of the chunks, notes what is wrong there in the source's
 * metadata, and copies the head of the chunk after them. */
enum status png_samples_finish(struct png_samples *samples, uint8_t head[PNG_HEAD_BYTES],
                               struct error *error);

/* Gives zlib's memory back. Harmless at any time. */
void png_samples_drop(struct png_samples *samples);

/* The next bytes of the file. */
enum status png_take_bytes(struct source *source, uint8_t *bytes, size_t count,
                           struct error *error);

/* The four bytes as a number. */
uint32_t png_number(const uint8_t bytes[4]);

/* A chunk's name for a message: what is no letter is a question mark. */
struct png_name {
    char text[5];
};
struct png_name png_name_of(const uint8_t head[PNG_HEAD_BYTES]);

#endif
