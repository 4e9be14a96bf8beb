/* SPDX-License-Identifier: MIT */
/* Deflate with runs for its only matches: what zlib makes with Z_RLE in a part of the time. */
#ifndef SMOOTHIMG_CODEC_PNG_RUNS_H
#define SMOOTHIMG_CODEC_PNG_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNS_PIECE 65535 /* bytes of a block: the most that a stored one can have */

/* The bytes that runs_deflate may write for so many. */
#define RUNS_ROOM(COUNT) ((COUNT) + ((COUNT) >> 3) + ((size_t)1 << 12))

/* Writes the bytes, at least one, as deflate blocks to out, of RUNS_ROOM(count). Ends on a byte:
 * with the stream's last block, or with an empty one, as Z_SYNC_FLUSH does. Returns the bytes that
 * it wrote; 0 without memory. */
size_t runs_deflate(const uint8_t *bytes, size_t count, bool last, uint8_t *out);

#endif
