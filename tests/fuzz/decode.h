/* SPDX-License-Identifier: MIT */
/* Decodes every image of some bytes, from a file and from a pipe. */
#ifndef SMOOTHIMG_FUZZ_DECODE_H
#define SMOOTHIMG_FUZZ_DECODE_H

#include "src/files/codec/codec.h"

#include <stddef.h>

/* The limits of a target: larger inputs take long and show nothing new. */
#define DECODE_MOST_PIXELS (1 << 14)
#define DECODE_MOST_BYTES (1 << 20) /* of an image in memory */
#define DECODE_MOST_METADATA 2048

/* Reads all images of the bytes as a file, whose rows several readers may take in any order, and as
 * a pipe, and demands what must hold: samples within maxval, the same images and the same status on
 * both ways, and a sentence for every failure. */
void decode_both_ways(const uint8_t *data, size_t size);

/* Reads all images of a file, writes them to one of this format, and demands that it holds the same
 * images, except for the samples of JPEG. */
void decode_and_rewrite(const uint8_t *data, size_t size, enum format format);

#endif
