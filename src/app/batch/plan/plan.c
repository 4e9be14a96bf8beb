/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <errno.h>
#include <limits.h>
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

/* An input named - has no name to use in a folder, and -o names a file. */
static enum status check_into_folder(const struct options *options, struct error *error)
{
    if (options->output_file)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, and -o names a file; for outputs in a folder say -O %s",
                    options->output_file, options->output_file);
    if (strcmp(options->inputs[0], "-") == 0)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, and standard input has no name to use in it; name a "
                    "file",
                    options->output);
    return STATUS_OK;
}

/* INPUT OUTPUT: any file, to any other. Into a folder, a file keeps its name, as with cp. */
static enum status add_pair(struct plan *plan, const struct options *options, struct error *error)
{
    const char *input = options->inputs[0], *output = options->output;
    struct stat about;
    struct task *task = plan_add(plan, strdup(input), name_kept(input, false));

    if (!task)
        return plan_no_memory(error);
    if (stat(input, &about) == 0 && S_ISREG(about.st_mode))
        task->bytes = about.st_size;
    if (is_folder(output)) {
        if (check_into_folder(options, error) != STATUS_OK ||
            name_output(task, options, error) != STATUS_OK)
            return error->status;
    } else {
        task->output = strdup(output);
        if (!task->output)
            return plan_no_memory(error);
    }
    if (stat(task->output, &about) == 0)
        task->exists = S_ISREG(about.st_mode) && about.st_size > 0;
    else if (errno != ENOENT && options->skip_existing)
        return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", task->output,
                    strerror(errno));
    return STATUS_OK;
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

/* Does the name end like an image's, slashes at its end aside? */
static bool is_named_like_image(const char *folder)
{
    char name[PATH_MAX];
    int length = (int)strlen(folder);

    while (length > 1 && folder[length - 1] == '/')
        length--;
    snprintf(name, sizeof name, "%.*s", length, folder);
    return format_is_named(name);
}

/* The folder for outputs of a batch. One whose name ends like an image's is taken if it is there,
 * but never made: a file was meant. */
static enum status check_folders(const struct options *options, struct error *error)
{
    if (options->in_place)
        return STATUS_OK;
    if (options->output_dir && strcmp(options->output_dir, "-") == 0)
        return fail(error, STATUS_USAGE,
                    "-O -: outputs go into a folder; name one, or for one image say -o -");
    if (strcmp(options->output, "-") == 0)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, which cannot go to standard output; name a folder",
                    options->inputs[0]);
    if (options->output_file)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, and -o names a file; name a folder for its images with "
                    "-O",
                    options->inputs[0]);
    if (!is_folder(options->output) && is_named_like_image(options->output))
        return fail(error, STATUS_USAGE,
                    "%s: this is named like an image, and outputs go into a folder; name a folder, "
                    "or for one image say -o %s",
                    options->output, options->output);
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

static enum status add_batch(struct plan *plan, const struct options *options, struct error *error)
{
    enum status status = plan_add_inputs(plan, options, error);

    if (status == STATUS_OK)
        status = name_outputs(options, plan, error);
    if (status == STATUS_OK)
        status = plan_check(options, plan, error);
    keep_shard(&options->shard, plan);
    return status;
}

enum status plan_make(const struct options *options, struct plan *plan, struct error *error)
{
    enum status status = STATUS_OK;

    memset(plan, 0, sizeof *plan);
    plan->folders = options->output_dir || options->files_from || options->input_count > 1;
    if (!plan->folders)
        status = find_kind(options->inputs[0], &plan->folders, error);
    if (status == STATUS_OK)
        status = plan->folders ? check_folders(options, error) : check_alone(options, error);
    if (status != STATUS_OK)
        return status;
    return plan->folders || options->in_place ? add_batch(plan, options, error)
                                              : add_pair(plan, options, error);
}

int64_t plan_bytes(const struct plan *plan)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < plan->count; i++)
        bytes += plan->tasks[i].bytes;
    return bytes;
}
