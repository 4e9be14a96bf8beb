/* SPDX-License-Identifier: MIT */
/* Threads that stay between calls: waking one takes a few microseconds, starting one 15 or more.
 * The process has one pool, which starts threads as they are needed. An idle worker spins for some
 * microseconds and then sleeps. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include "kernels/common/parallel.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

struct worker;

/* The threads stay while there is a holder; the last one to go ends them, and waits for that.
 * Without a holder they end with the work that they were started for. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* True if some work ended so recently that workers still spin, if there are any. Such a caller
 * usually has more work soon. */
bool worker_pool_is_awake(void);

/* Work that a thread shares with workers. It is aligned, since the pool uses the low bits of its
 * address. */
struct shared_work {
    /* called by each worker; the first has number 1 */
    _Alignas(8) void (*run)(struct shared_work *work, int number);

    /* Private to the pool. */
    int wanted, count;     /* workers that were asked for; that were chosen */
    atomic_int unfinished; /* workers that may still start, or run */
    bool outermost;        /* the thread does no other work at the same time */
    sem_t end;
    struct worker *workers[MAX_THREADS];
};

/* Chooses up to `wanted` workers and returns how many; wanted is less than MAX_THREADS. There are
 * fewer if all computing threads of the process would exceed both the processors and wanted + 1, or
 * if a thread cannot be started. A worker may share work too. worker_pool_begin and worker_pool_end
 * follow. */
int worker_pool_choose(struct shared_work *work, int wanted);

/* Tells the chosen workers to call work->run, which is set by now. Does not wait for them. */
void worker_pool_begin(struct shared_work *work);

/* Ends the caller's part of the work, and waits for the workers that have started. No work may be
 * left for those that have not. */
void worker_pool_end(struct shared_work *work);

#endif
