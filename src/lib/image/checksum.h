/* SPDX-License-Identifier: MIT */
/* A checksum of an image's samples, which depends neither on the file's format nor on the order in
 * which rows are added: the sum, modulo 2^64, over all rows, of XXH3_64bits_withSeed of the row's
 * samples, the seed being the row's number. Samples above one byte count as little-endian. */
#ifndef SMOOTHIMG_CHECKSUM_H
#define SMOOTHIMG_CHECKSUM_H

#include "src/lib/image/image.h"

#include <stdbool.h>

/* Precedes the 16 hexadecimal digits. */
#define CHECKSUM_PREFIX "xxh3:"

/* Of one row of `count` samples of 1 or 2 bytes. swapped: samples of 2 bytes are big-endian. */
uint64_t checksum_row(const void *samples, size_t count, int sample_bytes, bool swapped,
                      uint64_t row);

/* Of rows from..from+count-1 of the image, which are rows number `row` and on of the file. To be
 * added to the sum; the sum of no rows is 0. */
uint64_t checksum_rows(const struct image *image, int64_t from, int64_t count, uint64_t row);

#endif
