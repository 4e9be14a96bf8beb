/* SPDX-License-Identifier: MIT */
/* The sums by which a PNG file is checked: by ISA-L where it is, else by zlib, which takes three
 * times as long. */
#ifndef SMOOTHIMG_CODEC_PNG_SUMS_H
#define SMOOTHIMG_CODEC_PNG_SUMS_H

#include <stddef.h>
#include <stdint.h>

/* Adler-32, of all filtered rows. adler: of the bytes before these; 1 for none. */
uint32_t png_adler(uint32_t adler, const uint8_t *bytes, size_t count);

/* CRC-32, of a chunk. crc: of the bytes before these; 0 for none. */
uint32_t png_crc(uint32_t crc, const uint8_t *bytes, size_t count);

#endif
