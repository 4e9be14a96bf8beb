/* SPDX-License-Identifier: MIT */
/* The workers of a batch: each takes the next task, does it, and reports how it ended. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include "src/app/batch/batch.h"

#include <pthread.h>

/* What the workers share. */
struct worker_pool {
    const struct batch_options *options;
    bool folders; /* as in struct plan */
    struct stream_context stream;
    batch_listener *listener;
    void *context;

    pthread_mutex_t mutex; /* protects what follows, and the listener */
    struct task **tasks;   /* to do: next..count-1 */
    size_t next, count;
    struct batch_counts *counts;
    enum status status; /* STATUS_OK as long as the run goes on */
    struct error error;
};

/* The work of one thread, as a parallel_work: context points to a pointer to the pool. Ends when
 * there are no tasks left, or when the run has ended: after a failure with fail_fast, or without a
 * device that the variants need. */
void worker_pool_work(const void *context, int number, int64_t unused, int64_t also_unused);

#endif
