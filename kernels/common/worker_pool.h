/* SPDX-License-Identifier: MIT */
/* Threads that stay between calls: to wake one takes a few microseconds, to start one 15 and more.
 * There is one pool in a process, which starts threads as they are needed. A worker that has
 * nothing to do looks for work for some microseconds and then sleeps. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include "kernels/common/parallel.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

struct worker;

/* The threads stay as long as there is a holder: then the last to go ends them, and waits for it.
 * Without one they end with the work that they were started for. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* Whether some work has ended so shortly before that workers still look for more, if there are any:
 * whoever has work now is likely to have more, too. */
bool worker_pool_is_awake(void);

/* Work that a thread shares with workers. Aligned: the low bits of its address are the pool's. */
struct shared_work {
    /* By each worker that comes: the first of them is number 1. */
    _Alignas(8) void (*run)(struct shared_work *work, int number);

    /* The pool's own. */
    int wanted, count;     /* workers: that were wanted, that were chosen */
    atomic_int unfinished; /* those that may still come, and those that work */
    bool outermost;        /* the thread does not do other work at the same time */
    sem_t end;
    struct worker *workers[MAX_THREADS];
};

/* Chooses at most `wanted` workers, and returns how many; wanted is less than MAX_THREADS. There
 * are fewer where the threads that compute in all calls of the process would be more than the
 * processors and more than wanted + 1, and where a thread cannot be started. Work may be shared
 * from within a worker, too. To be followed by worker_pool_begin and worker_pool_end. */
int worker_pool_choose(struct shared_work *work, int wanted);

/* Asks those that were chosen to call work->run, which is set by now, without waiting for them. */
void worker_pool_begin(struct shared_work *work);

/* Ends the thread's own part of the work, and waits for the workers that have begun: nothing may be
 * left to do for those that have not. */
void worker_pool_end(struct shared_work *work);

#endif
