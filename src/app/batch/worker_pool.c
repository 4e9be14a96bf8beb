/* SPDX-License-Identifier: MIT */
#include "src/app/batch/worker_pool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct task *take_task(struct worker_pool *pool)
{
    struct task *task = NULL;

    pthread_mutex_lock(&pool->mutex);
    if (pool->status == STATUS_OK && pool->next < pool->count)
        task = pool->tasks[pool->next++];
    pthread_mutex_unlock(&pool->mutex);
    return task;
}

/* No further task can be done. */
static void stop_run(struct worker_pool *pool, enum status status, const struct error *error)
{
    if (pool->status == STATUS_OK) {
        pool->status = status;
        pool->error = *error;
    }
}

static void note_ending(struct worker_pool *pool, const struct task_result *result)
{
    pthread_mutex_lock(&pool->mutex);
    result->task->finished = result->status == STATUS_OK;
    result->task->failed = result->status != STATUS_OK;
    pool->counts->skipped += result->skipped;
    pool->counts->done += result->status == STATUS_OK && !result->skipped;
    pool->counts->failed += result->status != STATUS_OK;
    if (result->status != STATUS_OK && (pool->options->fail_fast || !pool->folders))
        stop_run(pool, pool->folders ? STATUS_PARTIAL : result->status, result->error);
    pool->listener(pool->context, result);
    pthread_mutex_unlock(&pool->mutex);
}

/* No device is left. The run ends, and this task counts as not begun. */
static void requeue(struct worker_pool *pool, struct task *task, const struct error *error)
{
    pthread_mutex_lock(&pool->mutex);
    pool->tasks[--pool->next] = task;
    stop_run(pool, STATUS_DEVICE, error);
    pthread_mutex_unlock(&pool->mutex);
}

/* Creates the missing folders of the path, from `from` on. */
static enum status make_folders(char *path, size_t from, struct error *error)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        int reason;

        *slash = '\0';
        reason = mkdir(path, 0777) == 0 ? 0 : errno;
        if (reason != 0 && reason != EEXIST)
            fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(reason));
        *slash = '/';
        if (reason != 0 && reason != EEXIST)
            return STATUS_OUTPUT;
    }
    return STATUS_OK;
}

static enum status do_file(const struct worker_pool *pool, struct task *task, struct report *report,
                           struct error *error)
{
    const char *folder = pool->options->folder;
    const struct stream_file file = {.input = task->input,
                                     .output = task->output,
                                     .same_format = task->same_format,
                                     .named = &task->finished};
    enum status status = STATUS_OK;

    if (pool->folders && folder)
        status = make_folders(task->output, strlen(folder) + 1, error);
    return status == STATUS_OK ? pipeline_file(&pool->stream, &file, report, error) : status;
}

static void do_task(struct worker_pool *pool, struct task *task)
{
    struct report report = NO_REPORT;
    struct error error;
    struct task_result result = {.task = task, .report = &report, .error = &error};

    result.skipped = task->exists && pool->options->skip_existing;
    if (task->problem) {
        result.status = fail(&error, STATUS_INPUT, "%s", task->problem);
    } else if (!result.skipped) {
        result.dispatcher = pool->stream.dispatcher;
        result.status = do_file(pool, task, &report, &error);
    }
    if (result.status == STATUS_DEVICE && pool->folders && report.gpu_lost)
        requeue(pool, task, &error);
    else
        note_ending(pool, &result);
}

void worker_pool_work(const void *context, int number, int64_t unused, int64_t also_unused)
{
    struct worker_pool *pool = *(struct worker_pool *const *)context;
    struct task *task;

    (void)number, (void)unused, (void)also_unused;
    while ((task = take_task(pool)))
        do_task(pool, task);
}
