/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct task *plan_add(struct plan *plan, char *input, size_t name_at)
{
    struct task *task;

    if (input && plan->count == plan->room) {
        const size_t room = plan->room > 0 ? 2 * plan->room : 64;
        struct task *tasks = reallocarray(plan->tasks, room, sizeof *tasks);

        if (tasks) {
            plan->tasks = tasks;
            plan->room = room;
        }
    }
    if (!input || plan->count == plan->room) {
        free(input);
        return NULL;
    }
    task = &plan->tasks[plan->count++];
    *task = (struct task){.input = input, .name = input + name_at, .lost_on = TASK_NOT_LOST};
    return task;
}

static void free_task(struct task *task)
{
    free(task->input);
    free(task->output);
    free(task->problem);
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free_task(&plan->tasks[i]);
    free(plan->tasks);
    memset(plan, 0, sizeof *plan);
}

static bool is_folder(const char *path)
{
    struct stat about;

    return strcmp(path, "-") != 0 && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Is the input a folder? What cannot be examined is not to be taken for a file. */
static enum status find_kind(const char *path, bool *folder, struct error *error)
{
    struct stat about;

    *folder = false;
    if (strcmp(path, "-") == 0)
        return STATUS_OK;
    if (stat(path, &about) == 0)
        *folder = S_ISDIR(about.st_mode);
    else if (errno != ENOENT)
        return fail(error, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    return STATUS_OK;
}

/* INPUT OUTPUT: any file, to any other. Into a folder, a file keeps its name, as with cp. */
static enum status add_pair(struct plan *plan, const struct options *options, struct error *error)
{
    const char *input = options->inputs[0], *output = options->output;
    struct stat about;
    struct task *task = plan_add(plan, strdup(input), name_kept(input, false));

    if (!task)
        return fail(error, STATUS_INPUT, "no memory for the names of files");
    if (stat(input, &about) == 0 && S_ISREG(about.st_mode))
        task->bytes = about.st_size;
    if (is_folder(output)) {
        if (strcmp(input, "-") == 0)
            return fail(error, STATUS_USAGE,
                        "%s: this is a folder, and standard input has no name to use in it; name a "
                        "file",
                        output);
        if (name_output(task, options, error) != STATUS_OK)
            return error->status;
    } else {
        task->same_format = strcmp(input, output) == 0; /* in place */
        task->output = strdup(output);
        if (!task->output)
            return fail(error, STATUS_INPUT, "no memory for the names of files");
    }
    task->name = NULL;
    if (stat(task->output, &about) == 0)
        task->exists = S_ISREG(about.st_mode) && about.st_size > 0;
    else if (errno != ENOENT && options->skip_existing)
        return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", task->output,
                    strerror(errno));
    return STATUS_OK;
}

static int by_output(const void *a, const void *b)
{
    return strcmp((*(struct task *const *)a)->output, (*(struct task *const *)b)->output);
}

static int by_file(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Two inputs, one output: whichever came last would win. tasks are sorted by output. */
static enum status check_collisions(struct task *const *tasks, size_t count, struct error *error)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(tasks[i - 1]->output, tasks[i]->output) == 0)
            return fail(error, STATUS_USAGE,
                        "%s and %s would both become %s; nothing was done: give them output "
                        "folders of their own, or keep their folders apart with -r or /./ in their "
                        "names",
                        tasks[i - 1]->input, tasks[i]->input, tasks[i]->output);
    return STATUS_OK;
}

static enum status refuse_replacing(const struct task *task, const struct task *other,
                                    struct error *error)
{
    if (task == other)
        return fail(error, STATUS_USAGE,
                    "%s and %s are the same file; nothing was done: name another output folder, or "
                    "say --in-place",
                    task->input, task->output);
    return fail(error, STATUS_USAGE,
                "%s, to be made from %s, is an input too; nothing was done: name another output "
                "folder",
                task->output, task->input);
}

/* An output of which nobody can say whether it is there, and what it is. */
static enum status note_unreachable(struct task *task, int reason, struct error *error)
{
    if (asprintf(&task->problem, "%s: cannot be written: %s", task->output, strerror(reason)) >= 0)
        return STATUS_OK;
    task->problem = NULL;
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

/* An output that replaces what another task has yet to read. tasks are sorted by file. */
static enum status check_replaced(const struct options *options, struct task *const *tasks,
                                  size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct task *task = tasks[i], wanted = {0}, *const key = &wanted, *const * found;
        struct stat about;

        if (stat(task->output, &about) != 0) {
            if (errno != ENOENT && errno != ENOTDIR &&
                note_unreachable(task, errno, error) != STATUS_OK)
                return error->status;
            continue;
        }
        /* Not what a machine's crash may leave of a name: see finish_stream in output.c. */
        task->exists = !S_ISREG(about.st_mode) || about.st_size > 0;
        wanted.device = about.st_dev;
        wanted.inode = about.st_ino;
        if (options->in_place && i > 0 && by_file(&tasks[i - 1], &tasks[i]) == 0)
            return refuse_replacing(task, tasks[i - 1], error);
        found = bsearch(&key, tasks, count, sizeof *tasks, by_file);
        if (found && !(options->in_place && *found == task))
            return refuse_replacing(task, *found, error);
    }
    return STATUS_OK;
}

static enum status check(const struct options *options, struct plan *plan, struct error *error)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    enum status status;
    size_t count = 0;

    if (!tasks)
        return fail(error, STATUS_INPUT, "no memory for the names of files");
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->tasks[i].problem)
            tasks[count++] = &plan->tasks[i];
    qsort(tasks, count, sizeof(struct task *), by_output);
    status = check_collisions(tasks, count, error);
    if (status == STATUS_OK) {
        qsort(tasks, count, sizeof(struct task *), by_file);
        status = check_replaced(options, tasks, count, error);
    }
    free(tasks);
    return status;
}

static enum status name_outputs(const struct options *options, struct plan *plan,
                                struct error *error)
{
    enum status status = STATUS_OK;

    for (size_t i = 0; i < plan->count && status == STATUS_OK; i++)
        if (!plan->tasks[i].problem)
            status = name_output(&plan->tasks[i], options, error);
    return status;
}

/* What only makes sense where outputs go into a folder. */
static enum status check_alone(const struct options *options, struct error *error)
{
    const char *name = options->recursive     ? "--recursive"
                       : options->suffix      ? "--suffix"
                       : options->shard.count ? "--shard"
                       : options->failed_list ? "--failed-list"
                       : options->fail_fast   ? "--fail-fast"
                                              : NULL;

    if (!name)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: this is for folders, and %s is none; name a folder, or the output folder with "
                "-O",
                name, options->inputs[0]);
}

static enum status check_folders(const struct options *options, struct error *error)
{
    if (strcmp(options->output, "-") == 0)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, which cannot go to standard output; name a folder",
                    options->inputs[0]);
    if (options->in_place && (options->suffix || options->format))
        return fail(error, STATUS_USAGE,
                    "--in-place keeps the names and formats of a folder's images; leave out %s",
                    options->suffix ? "--suffix" : "--format");
    return STATUS_OK;
}

/* Leaves out what other shards do. What cannot be done stays in all of them: a folder that only one
 * machine cannot read must not be missed in silence. */
static void keep_shard(const struct shard *shard, struct plan *plan)
{
    const size_t count = plan->count;

    plan->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct task *task = &plan->tasks[i];

        if (task->problem || shard_holds(shard, task->name)) {
            plan->tasks[plan->count++] = *task;
        } else {
            plan->foreign++;
            free_task(task);
        }
    }
}

enum status plan_make(const struct options *options, struct plan *plan, struct error *error)
{
    enum status status = STATUS_OK;

    memset(plan, 0, sizeof *plan);
    plan->folders = options->output_dir != NULL;
    if (!plan->folders)
        status = find_kind(options->inputs[0], &plan->folders, error);
    if (status != STATUS_OK)
        return status;
    if (!plan->folders) {
        status = check_alone(options, error);
        return status == STATUS_OK ? add_pair(plan, options, error) : status;
    }
    status = check_folders(options, error);
    if (status == STATUS_OK)
        status = plan_add_inputs(plan, options, error);
    if (status == STATUS_OK)
        status = name_outputs(options, plan, error);
    if (status == STATUS_OK)
        status = check(options, plan, error);
    keep_shard(&options->shard, plan);
    return status;
}

int64_t plan_bytes(const struct plan *plan)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < plan->count; i++)
        bytes += plan->tasks[i].bytes;
    return bytes;
}
