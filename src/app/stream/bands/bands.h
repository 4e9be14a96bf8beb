/* SPDX-License-Identifier: MIT */
/* One image smoothed or reversed in bands of rows, straight from a reader into a writer. Each
 * thread takes the next band, reads it with the rows around it, fills its border, has it computed
 * and writes it; it uses its memory again for the next. So reading, computing, copies to a GPU and
 * back, and writing overlap, and memory does not depend on the image's height. The result is that
 * of the whole image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "src/app/dispatch/dispatcher.h"
#include "src/files/codec/codec.h"
#include "src/lib/image/halo.h"

struct bands {
    struct dispatcher *dispatcher; /* whose first operation is smooth or reverse */
    const uint64_t *weights;       /* of smooth: 2 halo + 1 */
    int64_t halo;                  /* of reverse: 0 */
    bool weighted;                 /* of smooth: struct job's */
    enum edge edge;
    int threads;
    int block;             /* --block, or 0 */
    const struct isa *isa; /* for the processor's variant; NULL: the highest */
    int64_t rows;          /* of a band, rounded up to what the writer takes; 0: as is best */
    int64_t max_bytes;     /* of memory: bands and then threads are fewer where that helps; 0: no
                            * limit */
    double input_bytes;    /* that the image counts for in dispatcher_note */
};

/* How an image is cut into bands. */
struct band_plan {
    int threads;
    int64_t rows;  /* of a band: a multiple of the writer's block rows */
    int64_t keep;  /* rows of a source that has them in order, to be kept for the bands to come */
    int64_t bytes; /* of the host's memory, in all; INT64_MAX: more than there can be. It is above
                    * bands->max_bytes if one thread with the smallest bands takes more */
};

/* Seconds, the mean of the threads: their sum, gpu left out, is the time that passed. Reading and
 * writing include waiting for another thread that does so. */
struct bands_times {
    double read, halo, compute, write;
    struct gpu_times gpu; /* a part of compute, and the bytes of all threads */
    struct op_work work;
};

/* For the image that image_reader_begin has found (*header), and a writer that takes rows in any
 * order, which need not have begun. */
struct band_plan bands_plan(const struct bands *bands, const struct image_reader *reader,
                            const struct image_writer *writer, const struct image *header);

/* Takes that image from the source, and finishes it. *times is added to. On failure, part of the
 * image may be in the writer. A bad input gives the error that reading it in order gives. */
enum status bands_run(const struct bands *bands, const struct band_plan *plan,
                      struct image_reader *reader, struct image_writer *writer,
                      const struct image *header, struct bands_times *times, struct error *error);

#endif
