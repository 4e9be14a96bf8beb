/* SPDX-License-Identifier: MIT */
/* Keeps the threads of parallel_rows() alive between its calls. The process has one pool of such
 * threads. Also starts threads with a stack size of their own, independent of the process's
 * limit. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include <pthread.h>
#include <stdbool.h>

/* 1 MiB, far more than codecs, variants, CUDA's driver and sanitizers need. The default is `ulimit
 * -s`, which may be too small, or as large as the memory. */
#define THREAD_STACK_BYTES (1 << 20)

/* Starts a thread, which the caller joins or detaches. Returns false if it cannot be started. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/* A caller holds the pool to keep its threads alive. The threads end when nobody holds the pool and
 * no call of parallel_rows() is running: the last release, or the last call, ends them, and returns
 * when they have ended. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* True if the last call of parallel_rows() ended so recently that idle workers still spin, and
 * would begin new work without a wake-up. */
bool worker_pool_is_awake(void);

#endif
