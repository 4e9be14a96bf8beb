/* SPDX-License-Identifier: MIT */
/* A checksum of an image's samples: the sum of the rows' checksums, modulo 2^64. That of a row is
 * XXH3_64bits_withSeed of its samples; the seed is the row's number. So the file's format and the
 * order of adding rows do not matter. Samples of 2 and of 4 bytes are hashed as little-endian. */
#ifndef SMOOTHIMG_CHECKSUM_H
#define SMOOTHIMG_CHECKSUM_H

#include "src/lib/image/image.h"

#include <stdbool.h>

/* Printed before the 16 hexadecimal digits. */
#define CHECKSUM_PREFIX "xxh3:"

/* The checksum of row number `row`, of `count` samples. big_endian: how samples of 2 and of 4
 * bytes are stored. */
uint64_t checksum_row(const void *samples, size_t count, int sample_bytes, bool big_endian,
                      uint64_t row);

/* The sum over rows from..from+count-1 of *image, which may be a part of a larger image: `row` is
 * the number of the first of them there. stored: of the image, or NULL; its samples count as they
 * are after conversion. */
uint64_t checksum_rows(const struct image *image, const struct stored_pixels *stored, int64_t from,
                       int64_t count, uint64_t row);

#endif
