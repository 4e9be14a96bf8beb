/* SPDX-License-Identifier: MIT */
#include "src/app/batch/batch.h"

#include "kernels/common/numbers.h"
#include "kernels/common/parallel.h"
#include "src/app/stream/mask_file.h"
#include "src/files/output/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the workers share. */
struct worker_pool {
    const struct batch_options *options;
    bool folders; /* as in struct plan */
    struct stream_context stream;
    batch_listener *listener;
    void *context;

    pthread_mutex_t mutex; /* protects what follows, and the listener */
    struct task **tasks;   /* to do: next..count-1 */
    size_t next, count;
    bool failed;        /* a task has */
    enum status status; /* STATUS_OK as long as the run goes on */
    struct error error;
};

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
    pool->failed = pool->failed || result->status != STATUS_OK;
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

enum outcome task_prospect(const struct task *task, bool skip_existing)
{
    if (task->problem)
        return OUTCOME_FAILED;
    return task->exists && skip_existing ? OUTCOME_SKIPPED : OUTCOME_PLANNED;
}

static void do_task(struct worker_pool *pool, struct task *task)
{
    struct report report = NO_REPORT;
    struct error error;
    struct task_result result = {
        .task = task,
        .outcome = task_prospect(task, pool->options->skip_existing),
        .report = &report,
    };

    if (result.outcome == OUTCOME_FAILED) {
        result.status = fail(&error, STATUS_INPUT, "%s", task->problem);
    } else if (result.outcome == OUTCOME_PLANNED) {
        result.dispatcher = pool->stream.dispatcher;
        result.status = do_file(pool, task, &report, &error);
        result.outcome = result.status == STATUS_OK ? OUTCOME_DONE : OUTCOME_FAILED;
    }
    if (result.outcome == OUTCOME_FAILED)
        result.error = &error;
    if (result.status == STATUS_DEVICE && pool->folders && report.gpu_lost)
        requeue(pool, task, &error);
    else
        note_ending(pool, &result);
}

/* The work of one thread, as a parallel_work: context points to a pointer to the pool. Ends when
 * there are no tasks left, or when the run has ended: after a failure with fail_fast, or without a
 * device that the variants need. */
static void do_tasks(const void *context, int number, int64_t unused, int64_t also_unused)
{
    struct worker_pool *pool = *(struct worker_pool *const *)context;
    struct task *task;

    (void)number, (void)unused, (void)also_unused;
    while ((task = take_task(pool)))
        do_task(pool, task);
}

/* Runs the tasks on at most `limit` workers. */
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
        parallel_rows(workers, workers, do_tasks, &shared);
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
    }
    dispatcher_close(pool->stream.dispatcher);
    return status;
}

enum status batch_run(const struct batch_options *options, const struct filter_weights *weights,
                      struct plan *plan, batch_listener *listener, void *context, bool *begun,
                      struct error *error)
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
                               .mutex = PTHREAD_MUTEX_INITIALIZER};
    enum status status = STATUS_OK;
    bool made = false;

    if (plan->folders && stream.work.device == DEVICE_NOT_GIVEN)
        stream.work.device = DEVICE_ALL;
    budget_open(&budget, options->max_memory);
    lights_open(&lights);
    if (options->mask)
        status = mask_file_read(options->mask, &stream, &budget, &mask, error);
    if (status == STATUS_OK && plan->folders && options->folder)
        status = make_output_folder(options->folder, &made, error);
    *begun = status == STATUS_OK && plan->count > 0;
    if (status == STATUS_OK)
        status = run_plan(&pool, plan, error);
    mask_free(&mask);
    lights_close(&lights);
    budget_close(&budget);
    if (made && status == STATUS_DEVICE)
        rmdir(options->folder); /* fails if the folder is not empty: it stays then */
    return status == STATUS_OK && pool.failed ? STATUS_PARTIAL : status;
}
