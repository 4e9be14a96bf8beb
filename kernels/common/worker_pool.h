/* SPDX-License-Identifier: MIT */
/* How long the threads of parallel.h stay: the process has one pool of them. */
#ifndef SMOOTHIMG_WORKER_POOL_H
#define SMOOTHIMG_WORKER_POOL_H

#include <stdbool.h>

/* The threads stay while there is a holder; the last one to go ends them, and waits for that.
 * Without a holder they end with the call that they were started for. */
void worker_pool_hold(void);
void worker_pool_release(void);

/* True if some work ended so recently that workers still spin, if there are any. Such a caller
 * usually has more work soon. */
bool worker_pool_is_awake(void);

#endif
