/* SPDX-License-Identifier: MIT */
#include "src/app/batch/batch.h"

#include "kernels/common/numbers.h"
#include "src/files/mask/mask.h"
#include "src/files/output/output.h"
#include "src/lib/base/work_queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The state of batch_run, which all threads share. */
struct run {
    const struct batch_options *options;
    bool folders; /* true for a batch: a folder, a list, several inputs or -O */
    struct stream_context stream;
    struct tasks *plan;
    bool large; /* true in the first phase, which does the large files; false in the second */
    batch_listener *listener;
    void *context;
    pthread_mutex_t mutex; /* protects the listener and `failed` */
    bool failed;           /* a task has failed */
};

/* Creates the missing folders in which the file `path` will lie. */
static enum status make_folders(char *path, struct error *error)
{
    enum status status = STATUS_OK;

    for (char *slash = strchr(path + 1, '/'); slash && status == STATUS_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0) {
            const int reason = errno;

            if (path_kind(path) != PATH_FOLDER)
                status = fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path,
                              strerror(reason));
        }
        *slash = '/';
    }
    return status;
}

static enum status do_file(const struct run *run, struct task *task, struct report *report,
                           struct error *error)
{
    const struct stream_file file = {.input = task->input,
                                     .output = task->output,
                                     .format = run->options->plan.format,
                                     .same_format = task->same_format,
                                     .work = task->work};
    const bool dry = run->options->stream.dry_run;
    enum status status = STATUS_OK;

    if (run->folders && run->options->plan.output && !dry)
        status = make_folders(task->output, error);
    if (status == STATUS_OK)
        status = file_run(&run->stream, &file, report, error);
    else if (run->options->stream.progress)
        run->options->stream.progress(task->work);
    return status == STATUS_OK && dry && !run->folders ? output_check_folder(task->output, error)
                                                       : status;
}

/* Does one task, if the task belongs to the current phase (run->large). Called by work_queue_run
 * and run_tasks. Returns a failure only if the run has to end: if the task fails, and the run is no
 * batch or has fail_fast; or if a batch loses the GPU. A task during which a batch loses the GPU
 * counts as not begun. */
static enum status do_task(void *context, int thread, int64_t index, struct error *error)
{
    struct run *run = context;
    struct task *task = &run->plan->tasks[index];
    struct report report = NO_REPORT;
    struct task_result result = {.task = task, .outcome = task->prospect, .report = &report};

    (void)thread;
    if (task->large != run->large)
        return STATUS_OK;
    if (result.outcome == OUTCOME_FAILED) {
        result.status = fail(error, task->problem_status, "%s", task->problem);
    } else if (result.outcome == OUTCOME_PLANNED) {
        result.status = do_file(run, task, &report, error);
        result.outcome = result.status != STATUS_OK     ? OUTCOME_FAILED
                         : run->options->stream.dry_run ? OUTCOME_PLANNED
                                                        : OUTCOME_DONE;
    }
    if (result.status == STATUS_DEVICE && run->folders && run->stream.computer->lost)
        return STATUS_DEVICE;
    if (result.outcome == OUTCOME_FAILED)
        result.error = error;
    pthread_mutex_lock(&run->mutex);
    run->failed = run->failed || result.status != STATUS_OK;
    run->listener(run->context, &result);
    pthread_mutex_unlock(&run->mutex);
    if (result.status == STATUS_OK || (run->folders && !run->options->plan.fail_fast))
        return STATUS_OK;
    if (run->folders)
        error->status = STATUS_PARTIAL;
    return error->status;
}

/* Does the large files one after the other, then the others in parallel. A file is large if it is
 * the only one, or has more than 1/threads of the bytes of all files: if one thread began such a
 * file last, the other threads would wait for it with nothing to do. */
static enum status run_tasks(struct run *run, struct error *error)
{
    struct tasks *plan = run->plan;
    /* A dry run has one thread, so that its lines are in the order of the plan. */
    const int threads = run->options->stream.dry_run ? 1 : (int)run->options->stream.work.threads;
    const int64_t count = (int64_t)plan->count;
    enum status status = STATUS_OK;
    int64_t others = 0;

    for (int64_t i = 0; i < count; i++) {
        struct task *task = &plan->tasks[i];

        task->large = count == 1 || threads * (double)task->bytes > (double)plan->bytes;
        others += !task->large;
    }
    run->large = true;
    run->stream.threads = threads;
    for (int64_t i = 0; i < count && status == STATUS_OK; i++)
        status = do_task(run, 0, i, error);
    if (status != STATUS_OK || others == 0)
        return status;
    run->large = false;
    run->stream.threads = (int)max(threads / others, 1);
    return work_queue_run((int)min(threads, others), count, false, do_task, run, error);
}

/* Creates the folder unless it exists. With `dry`, only checks that it could be created. */
static enum status make_output_folder(const char *path, bool dry, struct error *error)
{
    size_t length = strlen(path);
    char *name;
    enum status status = STATUS_OK;

    if (path_kind(path) == PATH_FOLDER)
        return STATUS_OK;
    if (path_kind(path) != PATH_MISSING)
        return fail(error, STATUS_OUTPUT, "%s is a file; the outputs need a folder", path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    name = strndup(path, length);
    if (name)
        status = output_check_folder(name, error);
    free(name);
    if (status != STATUS_OK || dry || mkdir(path, 0777) == 0 ||
        (errno == EEXIST && path_kind(path) == PATH_FOLDER))
        return status;
    return fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
}

/* Reserves the memory that reading the mask takes, reads the mask, and returns this memory to the
 * budget. Only the bytes of the mask itself stay reserved for the whole run. */
static enum status take_mask(struct image_reader *reader, const struct image *header,
                             struct budget *budget, struct mask *mask, struct error *error)
{
    const int64_t bytes = mask_read_bytes(reader, header);
    char what[512];
    enum status status;

    snprintf(what, sizeof what, "%s: a mask of %lld x %lld pixels", reader->name,
             (long long)header->view.width, (long long)header->view.height);
    status = budget_take(budget, bytes, what, error);
    if (status != STATUS_OK)
        return status;
    status = mask_read(reader, header, mask, error);
    budget_give(budget, bytes);
    if (status == STATUS_OK)
        budget_keep(budget, mask_bytes(mask->width, mask->height));
    return status;
}

/* Fails if an output would replace the mask, which is an input too. */
static enum status check_outputs(const struct tasks *plan, const struct image_reader *mask,
                                 struct error *error)
{
    struct stat input, output;
    const bool known = fstat(fileno(mask->file), &input) == 0;

    for (size_t i = 0; known && i < plan->count; i++) {
        const struct task *task = &plan->tasks[i];

        if (task->exists && task->prospect == OUTCOME_PLANNED && stat(task->output, &output) == 0 &&
            output.st_dev == input.st_dev && output.st_ino == input.st_ino)
            return fail(error, STATUS_USAGE,
                        "%s, to be made from %s, is the mask; nothing was done: name another "
                        "output, or a copy of the mask",
                        task->output, task->input);
    }
    return STATUS_OK;
}

/* Opens and reads the mask for all images. The caller frees *mask, also after a failure. */
static enum status read_mask(const struct batch_options *options, const struct tasks *plan,
                             struct budget *budget, struct mask *mask, struct error *error)
{
    const struct stream_options *limits = &options->stream;
    struct image_reader reader;
    struct image header;
    bool found;
    enum status status = image_reader_open(&reader, options->mask, limits->max_pixels, error);

    if (status != STATUS_OK)
        return status;
    reader.max_side = limits->max_side;
    reader.max_channels = limits->max_channels;
    status = check_outputs(plan, &reader, error);
    if (status == STATUS_OK)
        status = image_reader_begin(&reader, &header, &found, error);
    if (status == STATUS_OK)
        status = take_mask(&reader, &header, budget, mask, error);
    image_reader_close(&reader);
    return status;
}

enum status batch_run(const struct batch_options *options, struct computer *computer,
                      struct tasks *plan, batch_listener *listener, void *context,
                      struct error *error)
{
    const bool dry = options->stream.dry_run;
    struct budget budget;
    struct lights lights = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    struct mask mask = {0};
    struct run run = {.options = options,
                      .stream = {.options = &options->stream,
                                 .computer = computer,
                                 .budget = &budget,
                                 .lights = &lights,
                                 .mask = options->mask ? &mask : NULL},
                      .plan = plan,
                      .folders = plan->folders,
                      .listener = listener,
                      .context = context,
                      .mutex = PTHREAD_MUTEX_INITIALIZER};
    enum status status = STATUS_OK;

    budget_open(&budget, options->max_memory);
    /* A batch checks the GPU before it makes folders. A single file opens the GPU when it is
     * needed, after the file's header has been read. */
    if (plan->folders && !dry)
        status = computer_check(computer, error);
    if (status == STATUS_OK && options->mask)
        status = read_mask(options, plan, &budget, &mask, error);
    if (status == STATUS_OK && plan->folders && options->plan.output)
        status = make_output_folder(options->plan.output, dry, error);
    if (status == STATUS_OK)
        status = run_tasks(&run, error);
    if (options->mask)
        mask_free(&mask);
    if (options->stream.linear)
        lights_close(&lights);
    return status == STATUS_OK && run.failed ? STATUS_PARTIAL : status;
}
