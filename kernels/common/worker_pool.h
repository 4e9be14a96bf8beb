/* SPDX-License-Identifier: MIT */
/* Keeps the threads of parallel_rows() alive between its calls. The process has one pool of such
 * threads. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include <stdbool.h>

/* A caller holds the pool to keep its threads alive. The last release ends the threads, and returns
 * when they have ended. If nobody holds the pool, its threads end with the call of parallel_rows()
 * that started them. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* True if the last call of parallel_rows() ended so recently that idle workers still spin, and
 * would begin new work without a wake-up. */
bool worker_pool_is_awake(void);

#endif
