/* SPDX-License-Identifier: MIT */
/* Amounts of bytes as people write them. */
#ifndef SMOOTHIMG_SIZE_H
#define SMOOTHIMG_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#define SIZE_TEXT 32 /* bytes of room that size_text needs */

/* What size_parse takes, for messages. */
#define SIZE_FORM                                                                                  \
    "a whole number of bytes, or one with K, M, G or T (or KiB, MiB, GiB, TiB) behind it, each "   \
    "1024 of the one before, such as 512M"

/* Reads all of text, which must be of that form and not above INT64_MAX bytes; else false. */
bool size_parse(const char *text, int64_t *bytes);

/* The largest unit that leaves 1 or more of it: "712 bytes", "1.5 GiB". Returns text. */
const char *size_text(int64_t bytes, char text[SIZE_TEXT]);

#endif
