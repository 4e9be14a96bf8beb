/* SPDX-License-Identifier: MIT */
/* One image smoothed in bands of rows, straight from a source into a sink. Each thread takes the
 * next band, reads it with the rows around it, fills its border, smooths it and writes it, in
 * memory that it uses again and that stays in the cache; meanwhile the others do the same. The
 * result is that of the whole image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "codec.h"
#include "halo.h"

struct bands {
    const struct variant *variant; /* of smooth or reverse, on the CPU */
    const uint64_t *weights;       /* of smooth: 2 halo + 1 */
    int64_t halo;                  /* of reverse: 0 */
    enum edge edge;
    int threads;
    int64_t rows;      /* of a band, rounded up to what the sink takes; 0: as fits the cache */
    int64_t max_bytes; /* of memory: bands are made lower for it, or threads fewer; 0: no limit */
};

/* Seconds, the mean of the threads: their sum is the time that passed. Reading and writing include
 * waiting for another thread that does so. */
struct bands_times {
    double read, halo, compute, write;
};

/* The bytes of memory that bands_run will take for the image that source_begin has found: more than
 * max_bytes if it cannot do with those. */
int64_t bands_bytes(const struct bands *bands, const struct source *source, const struct sink *sink,
                    const struct image *about);

/* Takes the image that source_begin has found (*about), from the source, and finishes it; the sink
 * must take its rows in any order. *times is added to. On failure, part of the image may be in the
 * sink. A bad input gives the error that reading it in order gives. */
enum status bands_run(const struct bands *bands, struct source *source, struct sink *sink,
                      const struct image *about, struct bands_times *times, struct error *error);

#endif
