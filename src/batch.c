/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include "clock.h"
#include "glance.h"
#include "gpu.h"
#include "parallel.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ATTEMPTS 2 /* a task that has taken so many devices with it fails itself */
#define GLANCES 8  /* at files, to know what kind of work there is */

/* What the workers share. */
struct crew {
    const struct options *options;
    bool folders;
    int side_by_side, threads; /* workers, and threads of each */
    struct glance expected;    /* the work of a worker; no images: unknown */
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
    struct options options; /* the run's, but for what is shared among workers */
    struct pipeline pipeline;
    int first; /* of its lanes: see chooser_open */
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

/* The worker's device is gone. True: the task is to be done again, by whoever takes it; false: it
 * has taken devices with it before. */
static bool give_back(struct crew *crew, struct task *task)
{
    bool again;

    pthread_mutex_lock(&crew->mutex);
    again = ++task->attempts < ATTEMPTS;
    if (again)
        crew->tasks[--crew->next] = task;
    pthread_mutex_unlock(&crew->mutex);
    return again;
}

/* This worker cannot go on; the run ends with the last, or if no other could do better. */
static void leave(struct crew *crew, enum status status, const struct error *error)
{
    pthread_mutex_lock(&crew->mutex);
    crew->workers--;
    if (crew->workers == 0 || status != STATUS_DEVICE)
        stop_run(crew, status, error);
    pthread_mutex_unlock(&crew->mutex);
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

/* STATUS_DEVICE: the worker's device is gone. */
static enum status do_task(struct worker *worker, struct task *task, struct error *error)
{
    const double start = clock_seconds();
    struct report report = {.input_bytes = -1, .output_bytes = -1};
    struct ending ending = {.task = task, .report = &report, .error = error};
    bool lost;

    ending.skipped = task->exists && worker->options.skip_existing;
    if (task->problem) {
        ending.status = fail(error, STATUS_INPUT, "%s", task->problem);
    } else if (!ending.skipped) {
        ending.pipeline = &worker->pipeline;
        ending.status = do_file(worker, task, &report, error);
        ending.seconds = clock_seconds() - start;
    }
    lost = ending.status == STATUS_DEVICE && worker->crew->folders &&
           chooser_is_lost(worker->pipeline.chooser);
    if (!lost || !give_back(worker->crew, task))
        note_ending(worker->crew, &ending);
    return lost ? STATUS_DEVICE : STATUS_OK;
}

/* Does tasks until there are no more. STATUS_DEVICE: there is no such device, or it has failed. */
static enum status work_on_device(struct worker *worker, struct error *error)
{
    struct crew *crew = worker->crew;
    const struct glance *expected = crew->expected.images > 0 ? &crew->expected : NULL;
    struct task *task;
    enum status status =
        pipeline_prepare(&worker->pipeline, &worker->options, expected, worker->first, error);

    /* A single file is read while its GPU is opened. */
    if (status == STATUS_OK && crew->folders)
        status = chooser_check(worker->pipeline.chooser, error);
    while (status == STATUS_OK && (task = take_task(crew)))
        status = do_task(worker, task, error);
    pipeline_close(&worker->pipeline);
    return status;
}

/* How many devices the worker may turn to, one after the other. */
static int devices_to_try(const struct worker *worker)
{
    struct error unused;
    int count;

    if (worker->options.device != DEVICE_ALL || gpu_count(&count, &unused) != STATUS_OK)
        return 1;
    return count;
}

/* A worker's life. */
static void work(const void *context, int number, int64_t unused, int64_t also_unused)
{
    struct crew *crew = *(struct crew *const *)context;
    struct worker worker = {.crew = crew, .options = *crew->options, .first = number};
    struct error error;
    enum status status;

    (void)unused, (void)also_unused;
    worker.options.threads = crew->threads;
    worker.options.side_by_side = crew->side_by_side;
    if (crew->folders && worker.options.device == DEVICE_NOT_GIVEN)
        worker.options.device = DEVICE_ALL;
    status = work_on_device(&worker, &error);
    for (int i = 1; status == STATUS_DEVICE && i < devices_to_try(&worker); i++) {
        worker.first++;
        status = work_on_device(&worker, &error);
    }
    if (status != STATUS_OK)
        leave(crew, status, &error);
}

/* What a worker will have to do: images like the largest of the first few. */
static struct glance expect(struct task *const *tasks, size_t count, int workers)
{
    struct glance expected = {0}, one;

    for (size_t i = 0; i < count && i < GLANCES; i++)
        if (glance_at(tasks[i]->input, &one) &&
            one.shape.width * one.shape.height > expected.shape.width * expected.shape.height)
            expected = one;
    if (expected.images > 0)
        expected.images *= ((int64_t)count - 1) / workers + 1;
    return expected;
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
    crew->workers = crew->side_by_side = workers;
    crew->expected = expect(tasks, count, workers);
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
