/* SPDX-License-Identifier: MIT */
/* Deflate with runs for its only matches: what zlib makes with Z_RLE in a part
 * of the time. */
#ifndef SMOOTHIMG_CODEC_PNG_RUNS_H
#define SMOOTHIMG_CODEC_PNG_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNS_SYMBOLS 16383 /* in a deflate block, as in zlib's, or twice as many */

/* The bytes that one call may write, for the bytes that it gets and for the symbols from before. A
 * block of up to 65535 bytes is stored if it would be longer, and takes 5 bytes more. In a longer
 * one symbols have more than 2 bytes, and 18 bits at most in the fixed code. */
#define RUNS_ROOM(COUNT) ((COUNT) + ((COUNT) >> 3) + ((size_t)80 << 10))

struct runs {
    uint8_t *out; /* set by the caller before a call: RUNS_ROOM of its bytes; moves on */
    uint64_t bits;
    int bit_count;                          /* of `bits` that are not in `out` */
    uint16_t symbols[2 * RUNS_SYMBOLS + 1]; /* bytes, and runs: 253 and their length, 256 to 511 */
    size_t symbol_count;
    size_t run; /* bytes that repeat `last` and have no symbol yet */
    int last;   /* the last byte; -1: none */
    int before; /* the one before the first symbol */
};

void runs_begin(struct runs *runs);
void runs_add(struct runs *runs, const uint8_t *bytes, size_t count);

/* Ends on a byte: with the stream's last block, or with an empty one, as Z_SYNC_FLUSH does. */
void runs_end(struct runs *runs, bool last);

#endif
