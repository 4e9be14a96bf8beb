/* SPDX-License-Identifier: MIT */
/* Huffman codes as deflate has them (RFC 1951, 3.2.2): lengths say it all. */
#ifndef SMOOTHIMG_CODEC_PNG_HUFFMAN_H
#define SMOOTHIMG_CODEC_PNG_HUFFMAN_H

#include <stdint.h>

#define HUFFMAN_MAX_SYMBOLS 288
#define HUFFMAN_MAX_LENGTH 15

/* The lengths, at most `longest`, of the best code for symbols that occur counts[i] times; 0 for
 * those that do not. A count is below 2^16, and the sum of all below 2^22. If fewer than two
 * symbols occur, the first two that do not get a length too: a complete code has two. */
void huffman_lengths(const uint32_t *counts, int symbols, int longest, uint8_t *lengths);

/* The codes of these lengths, their first bit lowest. */
void huffman_codes(const uint8_t *lengths, int symbols, uint16_t *codes);

#endif
