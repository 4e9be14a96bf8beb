/* SPDX-License-Identifier: MIT */
/* Decodes images from arbitrary bytes, as a file and as a pipe. */
#ifndef SMOOTHIMG_FUZZ_DECODE_H
#define SMOOTHIMG_FUZZ_DECODE_H

#include "src/files/codec/codec.h"

#include <stddef.h>

/* Larger images and metadata are refused: they take long, and show nothing new. */
#define DECODE_MOST_PIXELS (1 << 14) /* width x height of an image */
#define DECODE_MOST_BYTES (1 << 20)  /* most bytes of an image, and most memory to read it */
#define DECODE_MOST_METADATA 2048    /* bytes of an image's metadata */

/* Reads all images that the first GROUND_PIPE_BYTES bytes hold, once from a file and once from a
 * pipe. Demands samples within maxval, the same images, metadata and status from both, and a
 * message for every failure. Does nothing for TIFF, which is not read from pipes. */
void decode_both_ways(const uint8_t *data, size_t size);

/* Reads all images that the bytes hold, and writes them to a file of this format. If all could be
 * read, demands that the new file holds as many images, with the same samples; those of a JPEG may
 * differ. */
void decode_and_rewrite(const uint8_t *data, size_t size, enum format format);

#endif
