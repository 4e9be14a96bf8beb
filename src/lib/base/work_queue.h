/* SPDX-License-Identifier: MIT */
/* Pieces of work for several threads, handed out in order. After a failure no further piece is
 * handed out. Of several failures the one of the lowest piece is returned, whatever the threads'
 * timing. */
#ifndef SMOOTHIMG_WORK_QUEUE_H
#define SMOOTHIMG_WORK_QUEUE_H

#include "src/lib/base/error.h"

#include <stdint.h>

/* Does one piece. thread: 0..threads-1, a different one for each call at the same time. */
typedef enum status work_piece(void *context, int thread, int64_t piece, struct error *error);

/* Does pieces 0..count-1 with up to that many threads, of which the caller is one, and waits. */
enum status work_queue_run(int threads, int64_t count, work_piece *work, void *context,
                           struct error *error);

/* The same for pieces that never wait for each other. Each thread begins with the piece of its own
 * number, even after a failure: in the next call it finds in its cache what this call has left. */
enum status work_queue_run_apart(int threads, int64_t count, work_piece *work, void *context,
                                 struct error *error);

#endif
