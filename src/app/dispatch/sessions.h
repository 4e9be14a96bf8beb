/* SPDX-License-Identifier: MIT */
/* Opens a GPU in a thread of its own: starting CUDA takes a quarter of a second, in which a file
 * can be read. */
#ifndef SMOOTHIMG_GPU_OPENING_H
#define SMOOTHIMG_GPU_OPENING_H

#include "gpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* All zero: not begun. The rest is the business of the functions, until gpu_opening_wait. */
struct gpu_opening {
    bool begun, joined;
    atomic_bool done;
    int device;              /* asked for, and once that is done, opened */
    bool any;                /* count on from the last one to the first */
    double start, seconds;   /* clock_seconds, and what the opening took */
    double waited;           /* seconds in which nothing else was done */
    enum status status;      /* of the opening */
    struct error error;      /* where that is not STATUS_OK */
    struct gpu *gpu;         /* NULL where it failed */
    struct gpu_device about; /* valid with gpu */
    pthread_t thread;
};

/* Begins to open device 0, 1 ... any: of N devices, number `device` modulo N. *opening stays where
 * it is. */
void gpu_opening_begin(struct gpu_opening *opening, int device, bool any);

/* The same in this thread: it has come to its end when this returns. */
void gpu_opening_do(struct gpu_opening *opening, int device, bool any);

/* Has it come to its end, so that nobody would wait? */
bool gpu_opening_done(const struct gpu_opening *opening);

/* Waits for what has begun: from then on opening->gpu and about may be used. Fails as gpu_open
 * does, each time. */
enum status gpu_opening_wait(struct gpu_opening *opening, struct error *error);

/* Waits, and closes the GPU. One that was not begun is legal. */
void gpu_opening_end(struct gpu_opening *opening);

#endif
