/* SPDX-License-Identifier: MIT */
/* One image transposed in strips, straight from a source whose rows can be read in part into a
 * sink: some columns of the source are as many rows of the result. A strip is taken in parts if the
 * sink takes parts of rows. While one part is written, the next is read and transposed, by all
 * threads, in memory that is used again. The result is that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_STRIPS_H
#define SMOOTHIMG_STRIPS_H

#include "bands.h"
#include "codec.h"

struct strips {
    const struct variant *variant; /* of transpose, on the CPU */
    int threads;
    int64_t max_bytes; /* of memory: for it strips are made smaller, and fewer threads work */
    int64_t columns;   /* of a strip, rounded up to what the sink takes; 0: as is best */
    int64_t rows;      /* of it at a time, if the sink takes parts of rows; 0: as is best */
};

/* The bytes of memory that strips_run will take for the image: more than max_bytes if it cannot do
 * with those. */
int64_t strips_bytes(const struct strips *strips, const struct sink *sink,
                     const struct image *about);

/* Takes the image that source_begin has found (*about), from the source, which must have columns,
 * and finishes it; the sink must take its rows in any order. *times is added to: as of bands_run,
 * without a halo. On failure, part of the image may be in the sink. A bad input gives the error
 * that reading it in order gives. */
enum status strips_run(const struct strips *strips, struct source *source, struct sink *sink,
                       const struct image *about, struct bands_times *times, struct error *error);

#endif
