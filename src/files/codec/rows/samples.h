/* SPDX-License-Identifier: MIT */
/* From the samples of an image in memory to those of a file: without a mask's channel, and then not
 * in linear light. For image_writer.c. */
#ifndef SMOOTHIMG_ENCODING_H
#define SMOOTHIMG_ENCODING_H

#include "src/files/light/light.h"
#include "src/files/mask/mask.h"

/* The image without samples that a file has for *header. */
struct image image_file_header(const struct image *header);

struct encoding {
    const struct light *light; /* or NULL */
    bool has_alpha;            /* the file's last channel is alpha */
    bool masked;
    struct image bare, file; /* of encoding_open: without the mask; of the file. Or empty */
};

/* How many rows of *image are best encoded at a time: what fits in a cache, in whole blocks. */
int64_t encoding_rows(const struct image *image, int64_t block_rows);

/* Bytes that encoding so many rows of an image like *header takes. */
int64_t encoding_bytes(const struct image *header, int64_t rows);

/* Allocates the memory for so many rows of *image. The caller closes it, after a failure too. */
enum status encoding_open(struct encoding *encoding, const struct image *image, int64_t rows,
                          struct error *error);
void encoding_close(struct encoding *encoding);

/* Encodes rows from..from+count-1 of *image. They are rows 0.. of the image that it returns, valid
 * until the next call. Not for an image that is neither masked nor in linear light. */
const struct image *encoding_apply(struct encoding *encoding, const struct image *image,
                                   int64_t from, int64_t count);

#endif
