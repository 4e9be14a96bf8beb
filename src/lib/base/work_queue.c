/* SPDX-License-Identifier: MIT */
#include "src/lib/base/work_queue.h"

#include "kernels/common/parallel.h"

#include <pthread.h>

struct work_queue {
    int64_t count; /* pieces 0..count-1 */
    work_piece *work;
    void *context;
    bool apart;
    pthread_mutex_t mutex; /* guards the members below */
    int64_t next;
    int64_t failed; /* the lowest number of a failed piece; valid after a failure */
    enum status status;
    struct error error;
};

/* Takes a piece of work. If queue->apart, pieces *first..last-1 belong to this thread, which takes
 * these pieces first, even after a failure. Other pieces come from the queue, which gives none
 * after a failure. Returns false if the thread gets no piece. */
static bool take(struct work_queue *queue, int64_t *first, int64_t last, int64_t *piece)
{
    bool taken;

    if (queue->apart && *first < last) {
        *piece = (*first)++;
        return true;
    }
    pthread_mutex_lock(&queue->mutex);
    *piece = queue->next;
    taken = *piece < queue->count && queue->status == STATUS_OK;
    queue->next += taken;
    pthread_mutex_unlock(&queue->mutex);
    return taken;
}

static void note_failure(struct work_queue *queue, int64_t piece, const struct error *error)
{
    pthread_mutex_lock(&queue->mutex);
    if (queue->status == STATUS_OK || piece < queue->failed) {
        queue->failed = piece;
        queue->status = error->status;
        queue->error = *error;
    }
    pthread_mutex_unlock(&queue->mutex);
}

static void work_thread(const void *context, int thread, int64_t first, int64_t last)
{
    struct work_queue *queue = *(struct work_queue *const *)context;
    struct error error;

    for (int64_t piece; take(queue, &first, last, &piece);)
        if (queue->work(queue->context, thread, piece, &error) != STATUS_OK)
            note_failure(queue, piece, &error);
}

enum status work_queue_run(int threads, int64_t count, bool apart, work_piece *work, void *context,
                           struct error *error)
{
    const int64_t own = count < threads ? count : threads;
    struct work_queue queue = {.count = count,
                               .work = work,
                               .context = context,
                               .apart = apart,
                               .mutex = PTHREAD_MUTEX_INITIALIZER,
                               .next = apart ? own : 0};
    struct work_queue *const shared = &queue; /* parallel_rows passes a const pointer */

    if (count == 1)
        return work(context, 0, 0, error);
    parallel_rows(threads, own, work_thread, &shared);
    if (queue.status != STATUS_OK)
        *error = queue.error;
    return queue.status;
}
