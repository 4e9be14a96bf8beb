/* SPDX-License-Identifier: MIT */
/* Keeps the threads of parallel_rows() alive between calls. The process has one pool of them. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include <stdbool.h>

/* Threads stay while the pool has a holder. The last release ends them, and returns when they have
 * ended. Without a holder, threads end with the call that started them. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* True if work ended so recently that idle workers still spin. A caller then usually has more work
 * soon. */
bool worker_pool_is_awake(void);

#endif
