/* SPDX-License-Identifier: MIT */
#include "src/lib/base/work_queue.h"

#include "kernels/common/parallel.h"

bool work_queue_take(struct work_queue *queue, int64_t *piece)
{
    bool taken;

    pthread_mutex_lock(&queue->mutex);
    *piece = queue->next;
    taken = *piece < queue->count && queue->status == STATUS_OK;
    queue->next += taken;
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

void work_queue_fail(struct work_queue *queue, int64_t piece, const struct error *error)
{
    pthread_mutex_lock(&queue->mutex);
    if (queue->status == STATUS_OK || piece < queue->failed) {
        queue->failed = piece;
        queue->status = error->status;
        queue->error = *error;
    }
    pthread_mutex_unlock(&queue->mutex);
}

struct run {
    struct work_queue queue;
    work_piece *work;
    void *context;
};

static void work_thread(const void *context, int thread, int64_t unused, int64_t also_unused)
{
    struct run *run = *(struct run *const *)context;
    struct error error;
    int64_t piece;

    (void)unused, (void)also_unused;
    while (work_queue_take(&run->queue, &piece))
        if (run->work(run->context, thread, piece, &error) != STATUS_OK)
            work_queue_fail(&run->queue, piece, &error);
}

enum status work_queue_run(int threads, int64_t count, work_piece *work, void *context,
                           struct error *error)
{
    struct run run = {WORK_QUEUE(count), work, context}, *const shared = &run;

    parallel_rows(threads, count < threads ? count : threads, work_thread, &shared);
    if (run.queue.status != STATUS_OK)
        *error = run.queue.error;
    return run.queue.status;
}
