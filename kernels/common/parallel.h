/* SPDX-License-Identifier: MIT */
/* Threads for the CPU variants. */
#ifndef SMOOTHIMG_PARALLEL_H
#define SMOOTHIMG_PARALLEL_H

#include <stdint.h>

#define MAX_THREADS 1024

/* Work on rows first..last-1; band, 0..threads-1, is the number of the call (for scratch). */
typedef void parallel_work(const void *context, int band, int64_t first, int64_t last);

/* Splits rows 0..rows-1 into bands of nearly equal height, one for each thread that can be had, of
 * at most `threads`: this one and workers of the pool (worker_pool.h). Calls work once for each, at
 * the same time. Returns when all are done. The band of a worker that is late is done by another
 * thread after its own: no band may wait for another to begin. */
void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context);

/* Processors that this process may use, at most MAX_THREADS. */
int parallel_processors(void);

#endif
