/* SPDX-License-Identifier: MIT */
/* Deflate streams without zlib's header and checksum, decoded by zlib or, three times as fast, by
 * ISA-L where the build has it.
 *
 * Both give the same bytes of every stream, sound or damaged, and the same verdict at the same
 * place, however its input is cut: zlib decides where ISA-L finds a fault, and judges the head of
 * each block before ISA-L sees it. */
#ifndef SMOOTHIMG_CODEC_PNG_RAW_INFLATE_H
#define SMOOTHIMG_CODEC_PNG_RAW_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the bytes of one call. More than ISA-L decodes ahead (64 KiB): so a call makes all that
 * the one before it had decoded. Less than malloc gives back to the system. */
#define RAW_INFLATE_ROOM ((size_t)96 << 10)

enum raw_inflate_result {
    RAW_INFLATE_GOES_ON, /* needs input if it made nothing */
    RAW_INFLATE_ENDS,    /* after the bytes that it made */
    RAW_INFLATE_FAULT,   /* after the bytes that it made; not to be called again */
    RAW_INFLATE_NO_MEMORY
};

/* What goes into a call and out of it. */
struct raw_inflate_bytes {
    const uint8_t *input; /* moves on over what was read */
    size_t input_bytes;
    bool all; /* make every byte that the input holds: ISA-L may keep some for the next call */
    uint8_t *output; /* RAW_INFLATE_ROOM bytes */
    size_t made;     /* bytes in `output` */
    uint8_t rest[8]; /* at the end of the stream: bytes after it that were read before */
    size_t rest_bytes;
};

struct raw_inflate {
    const char *name;
    void *(*open)(void); /* NULL without memory */
    enum raw_inflate_result (*run)(void *state, struct raw_inflate_bytes *bytes);
    void (*close)(void *state);
};

extern const struct raw_inflate raw_inflate_zlib;
#ifdef HAVE_ISAL
extern const struct raw_inflate raw_inflate_isal;
#endif

#endif
