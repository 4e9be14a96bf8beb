/* SPDX-License-Identifier: MIT */
/* The workers of a batch: each takes the next task, does it, and tells how it ended. For batch.c
 * alone. */
#ifndef SMOOTHIMG_CREW_H
#define SMOOTHIMG_CREW_H

#include "batch.h"
#include "glance.h"

#include <pthread.h>

/* What the workers share. */
struct crew {
    const struct options *options;
    bool folders;
    const uint64_t *weights;
    struct budget *budget;
    int side_by_side, threads; /* workers, and threads of each */
    struct glance expected;    /* the work of a worker; no images: unknown */
    batch_listener *listener;
    void *context;

    pthread_mutex_t mutex; /* over what follows, and the listener */
    struct task **tasks;   /* to do: next..count-1 */
    size_t next, count;
    int workers; /* that are still there */
    struct batch_counts *counts;
    enum status status; /* STATUS_OK as long as the run goes on */
    struct error error;
};

/* A worker's life, as a parallel_work: context points to a pointer to the crew; number tells the
 * workers apart. Ends when there are no tasks left, when the run has ended, or when no device is
 * left to it that it needs; the run ends with the last worker. */
void crew_work(const void *context, int number, int64_t unused, int64_t also_unused);

#endif
