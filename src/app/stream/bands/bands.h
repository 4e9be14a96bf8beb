/* SPDX-License-Identifier: MIT */
/* One image smoothed in bands of rows, straight from a source into a sink. Each thread takes the
 * next band, reads it with the rows around it, fills its border, smooths it and writes it, in
 * memory that it uses again and that stays in the cache, or that a GPU reaches by itself; meanwhile
 * the others do the same. So reading, copies to a GPU and back, its kernels, and writing go on at
 * the same time, and memory does not depend on the image's height. The result is that of the whole
 * image, byte for byte. */
#ifndef SMOOTHIMG_BANDS_H
#define SMOOTHIMG_BANDS_H

#include "codec.h"
#include "gpu.h"
#include "halo.h"

/* Where the bands of a GPU's variant are computed: chooser_lanes. Several threads ask at the same
 * time, each about a lane of its own. */
struct band_lanes {
    void *context;
    int most; /* so many pay, where the threads have little to do but to wait for them */
    /* Opens the lane's GPU, if it is not open. *gpu is NULL where the lane will do without. */
    enum status (*open)(void *context, int lane, struct gpu **gpu, struct error *error);
    /* As run_job does; *times is all zero where it was not done on a GPU. */
    enum status (*run)(void *context, int lane, const struct job *job, struct gpu_times *times,
                       struct error *error);
};

struct bands {
    const struct variant *variant;  /* of smooth or reverse */
    const struct band_lanes *lanes; /* for a GPU's variant */
    const uint64_t *weights;        /* of smooth: 2 halo + 1 */
    int64_t halo;                   /* of reverse: 0 */
    bool weighted;                  /* of smooth: struct job's */
    enum edge edge;
    int threads;
    int block;         /* --block, or 0 */
    int64_t rows;      /* of a band, rounded up to what the sink takes; 0: as is best */
    int64_t max_bytes; /* of memory, as bands_bytes counts it: bands and then threads are fewer
                        * where that helps; 0: no limit */
};

/* Seconds, the mean of the threads: their sum, gpu left out, is the time that passed. Reading and
 * writing include waiting for another thread that does so. */
struct bands_times {
    double read, halo, compute, write;
    struct gpu_times gpu; /* a part of compute, and the bytes of all threads */
};

/* How many bytes of the host's memory bands_run takes for the image that source_begin has found
 * (*about), with so many threads and rows in a band. Before sink_begin the sink's own wishes are
 * not known, and not counted. INT64_MAX: more than there can be. */
int64_t bands_bytes(const struct bands *bands, const struct source *source, const struct sink *sink,
                    const struct image *about, int threads, int64_t rows);

/* Takes the image that source_begin has found (*about), from the source, and finishes it; the sink
 * must take its rows in any order. *times is added to. On failure, part of the image may be in the
 * sink. A bad input gives the error that reading it in order gives. */
enum status bands_run(const struct bands *bands, struct source *source, struct sink *sink,
                      const struct image *about, struct bands_times *times, struct error *error);

#endif
