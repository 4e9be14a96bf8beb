/* SPDX-License-Identifier: MIT */
/* Pieces of work for several threads, handed out in order. After a failure no further piece begins,
 * except as work_queue_run() says. If several pieces fail, the error of the piece with the lowest
 * number is returned, whatever the threads' timing. */
#ifndef SMOOTHIMG_WORK_QUEUE_H
#define SMOOTHIMG_WORK_QUEUE_H

#include "src/lib/base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Does one piece. `thread` is 0..threads-1, and differs between calls that run at the same time. */
typedef enum status work_piece(void *context, int thread, int64_t piece, struct error *error);

/* Does pieces 0..count-1 with at most `threads` threads, including the caller, and returns when no
 * thread does a piece any more. apart: the caller promises that no piece waits for another one.
 * Pieces 0..threads-1 are then done even after a failure. If that many threads are free, thread n
 * begins with piece n: its data may still be in this thread's cache from the previous call. */
enum status work_queue_run(int threads, int64_t count, bool apart, work_piece *work, void *context,
                           struct error *error);

#endif
