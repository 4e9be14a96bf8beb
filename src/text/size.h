/* SPDX-License-Identifier: MIT */
/* Converts numbers of bytes from and to text. */
#ifndef SMOOTHIMG_SIZE_H
#define SMOOTHIMG_SIZE_H

#include "src/text/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* Parses a number and a unit, such as "512M" or "1.5G", into *bytes, rounded down. K and KiB are
 * 1024 bytes, KB is 1000 bytes; M, G and T stand for higher powers of 1024 or 1000. Units may be in
 * lower case. A number without a unit counts bytes and must be an integer. Returns false if `text`
 * has another form, or stands for more than INT64_MAX bytes. */
bool size_parse(const char *text, int64_t *bytes);

/* Returns the size as text, in the largest unit of which it has at least one: "712 bytes", "1.5
 * GiB". */
struct phrase size_text(int64_t bytes);

/* Returns a speed such as "812.0 MB/s" (MB: 10^6 bytes), or "12.3 GB/s" from 10 GB/s on. */
struct phrase speed_text(double bytes_per_second);

#endif
