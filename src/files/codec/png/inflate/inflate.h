/* SPDX-License-Identifier: MIT */
/* The zlib stream of a PNG file, inflated as its bytes come. Its header and checksum are read here,
 * whoever decodes what is between them. */
#ifndef SMOOTHIMG_CODEC_PNG_INFLATE_H
#define SMOOTHIMG_CODEC_PNG_INFLATE_H

#include "src/files/codec/png/inflate/raw_inflate.h"

#include <stdbool.h>

/* The part of the stream that comes next, or why none does. */
enum inflate_stage {
    INFLATE_HEADER,
    INFLATE_BODY,
    INFLATE_CHECKSUM,
    INFLATE_END, /* with the right checksum */
    INFLATE_FAULT,
    INFLATE_NO_MEMORY
};

struct inflater {
    /* Set by the caller: the bytes that come next; they move on over what was read. */
    const uint8_t *input;
    size_t input_bytes;
    bool all; /* take every byte that the input holds; slow, for the last bytes */

    const struct raw_inflate *raw;
    void *state;     /* owned: of *raw */
    uint8_t *window; /* owned: inflated bytes, RAW_INFLATE_ROOM of them */
    size_t at, end;  /* those of the window that have not been taken */
    enum inflate_stage stage;
    uint8_t wrap[4]; /* bytes of the header or the checksum */
    size_t wrap_bytes;
    bool surplus;      /* bytes after the checksum came with it */
    uint32_t adler;    /* Adler-32 of the bytes taken */
    const char *fault; /* words for INFLATE_FAULT */
};

/* The fastest decoder of this build. */
extern const struct raw_inflate *const inflate_fastest;

/* False without memory. inflater_close is harmless at any time after it, and on zeros. */
bool inflater_open(struct inflater *inflater, const struct raw_inflate *raw);
void inflater_close(struct inflater *inflater);

/* The next `count` bytes. Returns their number, which is smaller if the input is used up, or if
 * inflater_is_over: a fault shows after the last byte before it. */
size_t inflater_take(struct inflater *inflater, uint8_t *bytes, size_t count);

/* Is there nothing more to come, whatever the input? */
bool inflater_is_over(const struct inflater *inflater);

#endif
