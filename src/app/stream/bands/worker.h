/* SPDX-License-Identifier: MIT */
/* What a thread of bands_run does with one band. For bands.c alone. */
#ifndef SMOOTHIMG_BAND_WORKER_H
#define SMOOTHIMG_BAND_WORKER_H

#include "src/app/stream/bands/bands.h"
#include "src/app/stream/bands/rows.h"
#include "src/lib/filter/engine_plan.h"

/* What the threads share. */
struct work {
    const struct bands *bands;
    const struct band_plan *plan;
    struct band_rows *rows;
    struct image_writer *writer;
    struct shape shape;
    struct chain chain;                /* to the first band */
    struct engine_plan plans[MAX_OPS]; /* of its operations on the processor */

    pthread_mutex_t mutex; /* protects what follows */
    int64_t next;          /* first row of the next band */
    enum status status;    /* of the first failure, after which no band is begun */
    struct error error;
    struct bands_times *times; /* the means of the threads are added */
};

/* One thread, and its band. Row y of the result is row y - first of dst; row y of the source is row
 * y - from of src. */
struct worker {
    struct work *work;
    struct executor executor;
    struct image src, dst;         /* in the GPU's host memory, or the same as: */
    struct image own_src, own_dst; /* in the thread's memory; allocated when first needed */
    int64_t band;                  /* the band is rows band..last-1 of the result */
    int64_t first, last;           /* with the writer's context rows above it: first..last-1 */
    struct chain chain;            /* to these rows */
    int64_t from;                  /* the first row of its source */
    struct bands_times times;
    double mark; /* of lap */
};

/* Reads the source of rows first..last-1 into src, in the memory of worker->executor. Called
 * between band_rows_enter and band_rows_leave. */
enum status worker_read_band(struct worker *worker, struct error *error);

/* Computes and writes the band that worker_read_band has read. */
enum status worker_finish_band(struct worker *worker, struct error *error);

#endif
