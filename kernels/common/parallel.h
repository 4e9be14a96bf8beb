/* SPDX-License-Identifier: MIT */
/* Threads for the CPU variants. */
#ifndef SMOOTHIMG_PARALLEL_H
#define SMOOTHIMG_PARALLEL_H

#include <stdint.h>

#define MAX_THREADS 1024

/* Does the work for a band, which is rows first..last-1. band: the band's index, 0..threads-1. All
 * calls that one call of parallel_rows() makes have different indices, so the function can use the
 * index to choose a part of scratch memory for itself. */
typedef void parallel_work(const void *context, int band, int64_t first, int64_t last);

/* Splits rows 0..rows-1 into bands of nearly equal height, one for each of at most `threads`
 * threads: the calling thread and workers of the pool (worker_pool.h). Calls `work` once for each
 * band, in parallel, and returns when all calls have returned. A thread that has finished its own
 * band also does the bands of workers that have not started yet. So no band may wait for another
 * one to start. */
void parallel_rows(int threads, int64_t rows, parallel_work *work, const void *context);

/* Returns the number of processors that this process may use, at most MAX_THREADS; 1 if the system
 * does not tell. */
int parallel_processors(void);

#endif
