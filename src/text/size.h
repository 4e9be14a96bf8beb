/* SPDX-License-Identifier: MIT */
/* Numbers of bytes as text. */
#ifndef SMOOTHIMG_SIZE_H
#define SMOOTHIMG_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#define SIZE_TEXT 32 /* bytes of room that size_text needs */

/* Reads all of text: a whole number of bytes, or of K, M, G or T (KiB, MiB, GiB, TiB), which are
 * 1024 bytes, 1024 K and so on: "512M". False for anything else and above INT64_MAX bytes. */
bool size_parse(const char *text, int64_t *bytes);

/* In the largest unit of which there is at least 1: "712 bytes", "1.5 GiB". Returns text. */
const char *size_text(int64_t bytes, char text[SIZE_TEXT]);

#endif
