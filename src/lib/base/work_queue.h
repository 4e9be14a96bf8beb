/* SPDX-License-Identifier: MIT */
/* Pieces of work, handed out in order to some threads. After a failure no further piece is handed
 * out; of several failures that of the lowest piece is returned, whatever the threads' timing. */
#ifndef SMOOTHIMG_WORK_QUEUE_H
#define SMOOTHIMG_WORK_QUEUE_H

#include "src/lib/base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct work_queue {
    int64_t count;         /* pieces 0..count-1 */
    pthread_mutex_t mutex; /* protects what follows */
    int64_t next;
    int64_t failed; /* the lowest piece that failed, if status says so */
    enum status status;
    struct error error;
};

#define WORK_QUEUE(COUNT) ((struct work_queue){.count = COUNT, .mutex = PTHREAD_MUTEX_INITIALIZER})

/* The next piece; false if there is none, or after a failure. */
bool work_queue_take(struct work_queue *queue, int64_t *piece);

/* The piece failed. */
void work_queue_fail(struct work_queue *queue, int64_t piece, const struct error *error);

/* Does one piece; thread is less than the number of threads. */
typedef enum status work_piece(void *context, int thread, int64_t piece, struct error *error);

/* Does pieces 0..count-1 by up to that many threads, this one included. */
enum status work_queue_run(int threads, int64_t count, work_piece *work, void *context,
                           struct error *error);

#endif
