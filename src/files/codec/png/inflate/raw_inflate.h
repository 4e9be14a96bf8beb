/* SPDX-License-Identifier: MIT */
/* Deflate streams without zlib's header and checksum, decoded by zlib or, three times as fast, by
 * ISA-L where the build has it.
 *
 * Both give the same bytes of a sound stream, however its input is cut, and refuse a damaged one.
 * The place of a fault may differ. ISA-L gives up to 258 bytes fewer before it, those of one match.
 * And zlib refuses a block at its head if its Huffman codes leave some bits without a meaning;
 * ISA-L reads on until such bits come. No encoder makes these blocks. */
#ifndef SMOOTHIMG_CODEC_PNG_RAW_INFLATE_H
#define SMOOTHIMG_CODEC_PNG_RAW_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Room for the bytes of one call. More than ISA-L decodes ahead (64 KiB): so a fault comes after
 * all good bytes before it. Less than malloc gives back to the system. */
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
