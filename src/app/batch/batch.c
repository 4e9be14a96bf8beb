/* SPDX-License-Identifier: MIT */
#include "src/app/batch/worker_pool.h"

#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "src/app/stream/mask_file.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs the tasks on at most `limit` workers. Tasks that are not begun are added to counts->left. */
static void run_pool(struct worker_pool *pool, struct task **tasks, size_t count, int limit)
{
    const int workers = (int)min((int64_t)count, limit);
    struct worker_pool *const shared = pool;

    if (count == 0)
        return;
    pool->tasks = tasks;
    pool->next = 0;
    pool->count = count;
    pool->stream.threads = pool->stream.options->work.threads / workers;
    if (pool->status == STATUS_OK)
        parallel_rows(workers, workers, worker_pool_work, &shared);
    pool->counts->left += (int64_t)(count - pool->next);
}

/* Has the file more than one thread's share of all bytes? */
static bool is_large(const struct task *task, int threads, double sum)
{
    return threads * (double)task->bytes > sum;
}

static double bytes_of(const struct plan *plan)
{
    double sum = 0;

    for (size_t i = 0; i < plan->count; i++)
        sum += (double)plan->tasks[i].bytes;
    return sum;
}

/* Fills `tasks`, large files first: a large file begun last would run on while the other workers
 * have nothing to do. Returns the number of large files. */
static size_t put_large_first(const struct plan *plan, int threads, struct task **tasks)
{
    const double sum = bytes_of(plan);
    size_t large = 0, placed;

    for (size_t i = 0; i < plan->count; i++)
        if (is_large(&plan->tasks[i], threads, sum))
            tasks[large++] = &plan->tasks[i];
    placed = large;
    for (size_t i = 0; i < plan->count; i++)
        if (!is_large(&plan->tasks[i], threads, sum))
            tasks[placed++] = &plan->tasks[i];
    return large;
}

static enum status run_tasks(struct worker_pool *pool, const struct plan *plan)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    const int threads = pool->options->stream.work.threads;
    size_t large;

    if (!tasks)
        return fail(&pool->error, STATUS_INPUT, "no memory for a list of %zu files", plan->count);
    large = put_large_first(plan, threads, tasks);
    run_pool(pool, tasks, large, 1);
    run_pool(pool, tasks + large, plan->count - large, threads);
    free(tasks);
    return pool->status;
}

/* Bytes of the path before the last name in it; 0: there is only one. */
static size_t parent_length(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

static enum status make_output_folder(const char *path, bool *made, struct error *error)
{
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return STATUS_OK;
    if (errno == EEXIST && plan_is_folder(path))
        return STATUS_OK;
    if (errno == EEXIST)
        return fail(error, STATUS_OUTPUT, "%s is a file; the outputs need a folder", path);
    if (errno == ENOENT && parent_length(path) > 0)
        return output_no_folder(path, parent_length(path), error);
    return fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
}

/* Opens a dispatcher for the whole run, and runs the tasks. */
static enum status run_plan(struct worker_pool *pool, const struct plan *plan, struct error *error)
{
    enum status status =
        dispatcher_open(&pool->stream.options->work, &pool->stream.dispatcher, error);

    /* A single file does not wait here: it is read while its GPU is opened. */
    if (status == STATUS_OK && pool->folders)
        status = dispatcher_check(pool->stream.dispatcher, error);
    if (status == STATUS_OK) {
        status = run_tasks(pool, plan);
        *error = pool->error;
    } else {
        pool->counts->left = (int64_t)plan->count;
    }
    dispatcher_close(pool->stream.dispatcher);
    return status;
}

enum status batch_run(const struct batch_options *options, const struct filter_weights *weights,
                      struct plan *plan, batch_listener *listener, void *context,
                      struct batch_counts *counts, struct error *error)
{
    struct stream_options stream = options->stream;
    struct budget budget;
    struct lights lights;
    struct mask mask = {0};
    struct worker_pool pool = {.options = options,
                               .stream = {.options = &stream,
                                          .weights = weights,
                                          .budget = &budget,
                                          .lights = &lights,
                                          .mask = options->mask ? &mask : NULL},
                               .folders = plan->folders,
                               .listener = listener,
                               .context = context,
                               .mutex = PTHREAD_MUTEX_INITIALIZER,
                               .counts = counts};
    enum status status = STATUS_OK;
    bool made = false;

    memset(counts, 0, sizeof *counts);
    if (plan->folders && stream.work.device == DEVICE_NOT_GIVEN)
        stream.work.device = DEVICE_ALL;
    budget_open(&budget, options->max_memory);
    lights_open(&lights);
    if (options->mask)
        status = mask_file_read(options->mask, &stream, &budget, &mask, error);
    if (status == STATUS_OK && plan->folders && options->folder)
        status = make_output_folder(options->folder, &made, error);
    if (status == STATUS_OK)
        status = run_plan(&pool, plan, error);
    mask_free(&mask);
    lights_close(&lights);
    budget_close(&budget);
    if (made && counts->done == 0 && status == STATUS_DEVICE)
        rmdir(options->folder); /* fails if the folder is not empty: it stays then */
    return status == STATUS_OK && counts->failed > 0 ? STATUS_PARTIAL : status;
}
