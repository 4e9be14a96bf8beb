/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "clock.h"
#include "parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 2 /* a task that has taken so many devices with it fails itself */

/* What the workers share. */
struct crew {
    const struct options *options;
    bool folders;
    int threads; /* of each worker */
    batch_listener *listener;
    void *context;

    pthread_mutex_t mutex; /* over what follows, and the listener */
    struct task **tasks;   /* to do: next..count-1 */
    size_t next, count;
    int workers; /* that have not given up */
    struct batch_counts *counts;
    enum status status; /* STATUS_OK as long as the run goes on */
    struct error error;
};

/* One thread, with a pipeline of its own. */
struct worker {
    struct crew *crew;
    int number;
    struct options options; /* the run's, but for the threads */
    struct pipeline pipeline;
};

static struct task *take_task(struct crew *crew)
{
    struct task *task = NULL;

    pthread_mutex_lock(&crew->mutex);
    if (crew->status == STATUS_OK && crew->next < crew->count)
        task = crew->tasks[crew->next++];
    pthread_mutex_unlock(&crew->mutex);
    return task;
}

/* Something that no further task would survive. */
static void stop_run(struct crew *crew, enum status status, const struct error *error)
{
    if (crew->status == STATUS_OK) {
        crew->status = status;
        crew->error = *error;
    }
}

static void note_ending(struct crew *crew, const struct ending *ending)
{
    pthread_mutex_lock(&crew->mutex);
    ending->task->finished = ending->status == STATUS_OK;
    crew->counts->skipped += ending->skipped;
    crew->counts->done += ending->status == STATUS_OK && !ending->skipped;
    crew->counts->failed += ending->status != STATUS_OK;
    if (ending->status != STATUS_OK && (crew->options->fail_fast || !crew->folders))
        stop_run(crew, crew->folders ? STATUS_PARTIAL : ending->status, ending->error);
    crew->listener(crew->context, ending);
    pthread_mutex_unlock(&crew->mutex);
}

/* This worker's device is gone. The task goes to another one, if it has not been unlucky before;
 * the run ends with the last. */
static bool give_back(struct crew *crew, struct task *task, const struct error *error)
{
    bool taken;

    pthread_mutex_lock(&crew->mutex);
    crew->workers--;
    if (crew->workers == 0)
        stop_run(crew, STATUS_DEVICE, error);
    taken = task && (++task->attempts < ATTEMPTS || crew->workers == 0);
    if (taken)
        crew->tasks[--crew->next] = task;
    pthread_mutex_unlock(&crew->mutex);
    return taken;
}

/* Makes the folders of the path from `from` on, where there are none yet. */
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

static enum status do_file(const struct worker *worker, struct task *task, struct report *report,
                           struct error *error)
{
    const struct options *options = &worker->options;
    enum status status = STATUS_OK;

    if (worker->crew->folders)
        status = make_folders(task->output, strlen(options->output) + 1, error);
    return status == STATUS_OK ? pipeline_file(&worker->pipeline, task->input, task->output,
                                               task->same_format, report, error)
                               : status;
}

/* False: the worker cannot go on. */
static bool do_task(struct worker *worker, struct task *task)
{
    const double start = clock_seconds();
    struct report report = {.input_bytes = -1, .output_bytes = -1};
    struct error error;
    struct ending ending = {.task = task, .report = &report, .error = &error};

    ending.skipped = task->exists && worker->options.skip_existing;
    if (task->problem) {
        ending.status = fail(&error, STATUS_INPUT, "%s", task->problem);
    } else if (!ending.skipped) {
        ending.pipeline = &worker->pipeline;
        ending.status = do_file(worker, task, &report, &error);
        ending.seconds = clock_seconds() - start;
    }
    if (ending.status == STATUS_DEVICE && chooser_is_lost(worker->pipeline.chooser)) {
        if (!give_back(worker->crew, task, &error))
            note_ending(worker->crew, &ending);
        return false;
    }
    note_ending(worker->crew, &ending);
    return true;
}

/* A worker's life. */
static void work(const void *context, int number, int64_t first, int64_t last)
{
    struct crew *crew = *(struct crew *const *)context;
    struct worker worker = {.crew = crew, .number = number, .options = *crew->options};
    struct error error;
    struct task *task;
    enum status status;

    (void)first, (void)last;
    worker.options.threads = crew->threads;
    status = pipeline_prepare(&worker.pipeline, &worker.options, &error);
    if (status == STATUS_OK)
        status = chooser_check(worker.pipeline.chooser, &error);
    if (status == STATUS_DEVICE) {
        give_back(crew, NULL, &error);
    } else if (status != STATUS_OK) {
        pthread_mutex_lock(&crew->mutex);
        stop_run(crew, status, &error);
        pthread_mutex_unlock(&crew->mutex);
    }
    while (status == STATUS_OK && (task = take_task(crew)) && do_task(&worker, task))
        ;
    pipeline_close(&worker.pipeline);
}

/* Some tasks, by so many workers. */
static void run_crew(struct crew *crew, struct task **tasks, size_t count, int most)
{
    const int workers = (int64_t)count < most ? (int)count : most;
    struct crew *const shared = crew;

    if (count == 0)
        return;
    crew->tasks = tasks;
    crew->next = 0;
    crew->count = count;
    crew->workers = workers;
    crew->threads = (int)crew->options->threads / workers;
    if (crew->status == STATUS_OK)
        parallel_rows(workers, workers, work, &shared);
    crew->counts->left += (int64_t)(count - crew->next);
}

/* A file with more than a thread's fair share of the work would be waited for at the end: it is
 * done first, by all threads. */
static size_t put_large_first(const struct plan *plan, int threads, struct task **tasks)
{
    double sum = 0;
    size_t large = 0, small;

    for (size_t i = 0; i < plan->count; i++)
        sum += (double)plan->tasks[i].bytes;
    for (size_t i = 0; i < plan->count; i++)
        if (threads * (double)plan->tasks[i].bytes > sum)
            tasks[large++] = &plan->tasks[i];
    small = large;
    for (size_t i = 0; i < plan->count; i++)
        if (threads * (double)plan->tasks[i].bytes <= sum)
            tasks[small++] = &plan->tasks[i];
    return large;
}

static enum status run_tasks(struct crew *crew, const struct plan *plan)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    const int threads = (int)crew->options->threads;
    size_t large;

    if (!tasks)
        return fail(&crew->error, STATUS_INPUT, "no memory for a list of %zu files", plan->count);
    large = put_large_first(plan, threads, tasks);
    run_crew(crew, tasks, large, 1);
    run_crew(crew, tasks + large, plan->count - large, threads);
    free(tasks);
    return crew->status;
}

static enum status make_output_folder(const char *path, bool *made, struct error *error)
{
    struct stat about;

    *made = mkdir(path, 0777) == 0;
    if (*made)
        return STATUS_OK;
    if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
}

enum status batch_run(const struct options *options, struct plan *plan, batch_listener *listener,
                      void *context, struct batch_counts *counts, struct error *error)
{
    struct crew crew = {.options = options,
                        .folders = plan->folders,
                        .listener = listener,
                        .context = context,
                        .mutex = PTHREAD_MUTEX_INITIALIZER,
                        .counts = counts};
    enum status status = STATUS_OK;
    bool made = false;

    memset(counts, 0, sizeof *counts);
    if (plan->folders)
        status = make_output_folder(options->output, &made, error);
    if (status != STATUS_OK)
        return status;
    status = run_tasks(&crew, plan);
    if (status != STATUS_OK)
        *error = crew.error;
    if (made && counts->done == 0 && status == STATUS_DEVICE)
        rmdir(options->output); /* no trace, if nothing is in it */
    return status == STATUS_OK && counts->failed > 0 ? STATUS_PARTIAL : status;
}
