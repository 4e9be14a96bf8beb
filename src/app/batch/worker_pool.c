/* SPDX-License-Identifier: MIT */
#include "crew.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

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
 * has taken another device with it before. (The same one may fail several workers.) */
static bool give_back(struct worker *worker, struct task *task)
{
    struct crew *crew = worker->crew;
    const int device = chooser_device(worker->pipeline.chooser);
    bool again;

    pthread_mutex_lock(&crew->mutex);
    again = task->lost_on == TASK_NOT_LOST || task->lost_on == device;
    task->lost_on = device;
    if (again)
        crew->tasks[--crew->next] = task;
    pthread_mutex_unlock(&crew->mutex);
    return again;
}

/* This worker is done, or cannot go on. The run ends if no other could do better; or, without a
 * device, if it was the last, and leaves tasks. False: it must not leave, since a task has been
 * given back after it found none. */
static bool leave(struct crew *crew, enum status status, const struct error *error)
{
    bool needed;

    pthread_mutex_lock(&crew->mutex);
    needed = status == STATUS_OK && crew->status == STATUS_OK && crew->next < crew->count;
    crew->workers -= !needed;
    if (status == STATUS_DEVICE ? crew->workers == 0 && crew->next < crew->count
                                : status != STATUS_OK)
        stop_run(crew, status, error);
    pthread_mutex_unlock(&crew->mutex);
    return !needed;
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

    if (worker->crew->folders && options->output)
        status = make_folders(task->output, strlen(options->output) + 1, error);
    return status == STATUS_OK ? pipeline_file(&worker->pipeline, task->input, task->output,
                                               task->same_format, report, error)
                               : status;
}

/* STATUS_DEVICE: the worker's device is gone. */
static enum status do_task(struct worker *worker, struct task *task, struct error *error)
{
    struct report report = {.input_bytes = -1, .output_bytes = -1};
    struct ending ending = {.task = task, .report = &report, .error = error};
    bool lost;

    ending.skipped = task->exists && worker->options.skip_existing;
    if (task->problem) {
        ending.status = fail(error, STATUS_INPUT, "%s", task->problem);
    } else if (!ending.skipped) {
        ending.pipeline = &worker->pipeline;
        ending.status = do_file(worker, task, &report, error);
    }
    lost = ending.status == STATUS_DEVICE && worker->crew->folders &&
           chooser_is_lost(worker->pipeline.chooser);
    if (!lost || !give_back(worker, task))
        note_ending(worker->crew, &ending);
    return lost ? STATUS_DEVICE : STATUS_OK;
}

/* Does tasks until there are no more. STATUS_DEVICE: there is no device; or, with *began, it has
 * failed. */
static enum status work_on_device(struct worker *worker, bool *began, struct error *error)
{
    struct crew *crew = worker->crew;
    const struct glance *expected = crew->expected.images > 0 ? &crew->expected : NULL;
    struct task *task;
    enum status status =
        pipeline_prepare(&worker->pipeline, &worker->options, expected, worker->first, error);

    worker->pipeline.weights = crew->weights;
    worker->pipeline.budget = crew->budget;
    /* A single file is read while its GPU is opened. */
    if (status == STATUS_OK && crew->folders)
        status = chooser_check(worker->pipeline.chooser, error);
    *began = status == STATUS_OK;
    while (status == STATUS_OK && (task = take_task(crew)))
        status = do_task(worker, task, error);
    pipeline_close(&worker->pipeline);
    return status;
}

void crew_work(const void *context, int number, int64_t unused, int64_t also_unused)
{
    struct crew *crew = *(struct crew *const *)context;
    struct worker worker = {.crew = crew, .options = *crew->options, .first = number};
    struct error error;
    enum status status;
    bool began;

    (void)unused, (void)also_unused;
    worker.options.threads = crew->threads;
    worker.options.side_by_side = crew->side_by_side;
    if (crew->folders && worker.options.device == DEVICE_NOT_GIVEN)
        worker.options.device = DEVICE_ALL;
    /* After a failure, on another device: those that have failed cannot be opened. */
    do
        status = work_on_device(&worker, &began, &error);
    while ((status == STATUS_DEVICE && began) || !leave(crew, status, &error));
}
