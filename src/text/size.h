/* SPDX-License-Identifier: MIT */
/* Numbers of bytes as text. */
#ifndef SMOOTHIMG_SIZE_H
#define SMOOTHIMG_SIZE_H

#include "src/text/string_list.h"

#include <stdbool.h>
#include <stdint.h>

/* Parses all of text, a number and a unit, into *bytes, rounded down: "512M", "1.5G". K or KiB is
 * 1024 bytes, KB is 1000, M is 1024 K, then G and T, in any case; without a unit the number counts
 * bytes and must be whole. Returns false for anything else, and for more than INT64_MAX. */
bool size_parse(const char *text, int64_t *bytes);

/* Returns the size in the largest unit that does not exceed it: "712 bytes", "1.5 GiB". */
struct phrase size_text(int64_t bytes);

/* Returns the speed as "812.0 MB/s", or, from 10000 MB/s on, "12.3 GB/s" (10^6 and 10^9 bytes). */
struct phrase speed_text(double bytes_per_second);

#endif
