/* SPDX-License-Identifier: MIT */
/* Names the outputs. Checks that no two tasks have the same output, and that no output replaces an
 * input. */
#include "src/app/batch/plan/parts.h"
#include "src/files/codec/codec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns true if one of the parts of the name, which slashes separate, is "..". */
static bool climbs(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

/* Replaces "//" and "/./" by "/", so that one file has one name. */
static void tidy(char *path)
{
    char *to = path;

    for (const char *from = path; *from; from++) {
        while (from[0] == '/' && (from[1] == '/' || (from[1] == '.' && from[2] == '/')))
            from += from[1] == '/' ? 1 : 2;
        *to++ = *from;
    }
    *to = '\0';
}

enum status name_output(struct task *task, const struct plan_options *options, struct error *error)
{
    const char *folder = options->output, *name = folder ? task->name : task->input;
    const char *extension = format_extension(name), *end = strchr(name, '\0');
    const bool known = format_is_named(name);
    const char *dot = extension && (known || !options->format) ? extension - 1 : end;
    int written;

    if (options->in_place) {
        task->same_format = true;
        task->output = strdup(task->input);
        return task->output ? STATUS_OK : plan_no_memory(error);
    }
    if (folder && climbs(name))
        return fail(error, STATUS_USAGE,
                    "%s: this name leads out of the output folder; put /./ before the part of it "
                    "that the output folder is to keep",
                    task->input);
    task->same_format = !known && !options->format;
    written = asprintf(&task->output, "%s%s%.*s%s%s%s", folder ? folder : "", folder ? "/" : "",
                       (int)(dot - name), name, options->suffix ? options->suffix : "",
                       options->format ? "." : "", options->format ? options->format : dot);
    if (written < 0) {
        task->output = NULL;
        return plan_no_memory(error);
    }
    tidy(task->output);
    return STATUS_OK;
}

/* The file that a task writes. All names of one file give the same folder and the same name. */
struct target {
    const struct task *task;
    char *path;       /* owned: the output, or, if that is a link to a file, this file */
    const char *name; /* the part of `path` below the folder */
    dev_t device;     /* of the folder: the deepest one above the file that exists already */
    ino_t inode;
};

/* Examines the folder before a slash of the path; NULL: before its first name. */
static bool find_folder(char *path, char *slash, struct stat *info)
{
    bool found;

    if (!slash || slash == path)
        return stat(slash ? "/" : ".", info) == 0;
    *slash = '\0';
    found = stat(path, info) == 0;
    *slash = '/';
    return found;
}

/* Returns false if there is no memory. */
static bool find_target(const struct task *task, struct target *target)
{
    struct stat info, folder = {0};
    const bool is_link = lstat(task->output, &info) == 0 && S_ISLNK(info.st_mode);
    char *path = is_link ? realpath(task->output, NULL) : NULL, *slash;

    if (!path)
        path = strdup(task->output);
    *target = (struct target){.task = task, .path = path};
    if (!path)
        return false;
    slash = strrchr(path, '/');
    while (!find_folder(path, slash, &folder) && slash && slash > path)
        slash = memrchr(path, '/', (size_t)(slash - path));
    target->name = slash ? slash + 1 : path;
    target->device = folder.st_dev;
    target->inode = folder.st_ino;
    return true;
}

static int compare_targets(const struct target *x, const struct target *y)
{
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* For qsort. Tasks with the same target keep their order. */
static int by_target(const void *a, const void *b)
{
    const struct target *x = a, *y = b;
    const int order = compare_targets(x, y);

    return order != 0 ? order : x->task < y->task ? -1 : x->task > y->task;
}

static int by_file(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

/* Refuses two tasks that have the same output, under one name or, for example by a link, under
 * two. */
static enum status refuse_both(const struct task *a, const struct task *b, struct error *error)
{
    if (strcmp(a->output, b->output) == 0)
        return fail(error, STATUS_USAGE,
                    "%s and %s would both become %s; nothing was done: give them output folders of "
                    "their own, or keep their folders apart with -r or /./ in their names; or, "
                    "if --format has made their names alike, leave it out",
                    a->input, b->input, a->output);
    return fail(error, STATUS_USAGE,
                "%s and %s, to be made from %s and %s, are one file; nothing was done: give them "
                "output folders of their own",
                a->output, b->output, a->input, b->input);
}

/* Fails if two tasks have the same output. */
static enum status check_collisions(struct task *const *tasks, size_t count, struct error *error)
{
    struct target *targets = calloc(count + 1, sizeof *targets);
    enum status status = targets ? STATUS_OK : plan_no_memory(error);

    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        if (!find_target(tasks[i], &targets[i]))
            status = plan_no_memory(error);
    if (status == STATUS_OK)
        qsort(targets, count, sizeof *targets, by_target);
    for (size_t i = 1; i < count && status == STATUS_OK; i++)
        if (compare_targets(&targets[i - 1], &targets[i]) == 0)
            status = refuse_both(targets[i - 1].task, targets[i].task, error);
    for (size_t i = 0; targets && i < count; i++)
        free(targets[i].path);
    free(targets);
    return status;
}

/* For --in-place: fails if two tasks have the same input file, which would be replaced twice. The
 * user may have named it twice, or by two links. Sets the member `exists` of tasks whose input was
 * found. The tasks are sorted by the device and inode of their inputs. */
static enum status check_in_place(struct task *const *tasks, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        tasks[i]->exists = tasks[i]->inode != 0;
        if (i > 0 && tasks[i]->exists && by_file(&tasks[i - 1], &tasks[i]) == 0)
            return fail(error, STATUS_USAGE,
                        "%s and %s are one file, which would be replaced twice; nothing was done: "
                        "name it once, or make a copy",
                        tasks[i - 1]->input, tasks[i]->input);
    }
    return STATUS_OK;
}

/* Fails if an output would replace an input of the run. Sets the member `exists` of tasks whose
 * output exists. A task whose output cannot be examined gets a problem. The tasks are sorted by the
 * device and inode of their inputs. */
static enum status check_replaced(struct task *const *tasks, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct task *task = tasks[i], wanted = {0};
        struct task *const key = &wanted, *const * found;
        struct error why;
        struct stat info;

        if (stat(task->output, &info) != 0) {
            if (errno == ENOENT || errno == ENOTDIR)
                continue;
            fail(&why, STATUS_OUTPUT, "%s: cannot be written: %s", task->output, strerror(errno));
            if (task_fail(task, &why, error) != STATUS_OK)
                return error->status;
            continue;
        }
        /* An empty file does not count as existing: a crash of the machine may leave one (see
         * finish_stream in output.c). Nor does a folder: the task will fail. */
        task->exists = S_ISREG(info.st_mode) ? info.st_size > 0 : !S_ISDIR(info.st_mode);
        wanted.device = info.st_dev;
        wanted.inode = info.st_ino;
        found = bsearch(&key, tasks, count, sizeof *tasks, by_file);
        if (found)
            return fail(error, STATUS_USAGE,
                        "%s, to be made from %s, is an input; nothing was done: name another "
                        "output folder, or say --in-place",
                        task->output, task->input);
    }
    return STATUS_OK;
}

enum status tasks_check(const struct plan_options *options, struct tasks *plan, struct error *error)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    enum status status = STATUS_OK;
    size_t count = 0;

    if (!tasks)
        return plan_no_memory(error);
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->tasks[i].problem)
            tasks[count++] = &plan->tasks[i];
    if (!options->in_place)
        status = check_collisions(tasks, count, error);
    qsort(tasks, count, sizeof(struct task *), by_file);
    if (status == STATUS_OK)
        status = options->in_place ? check_in_place(tasks, count, error)
                                   : check_replaced(tasks, count, error);
    free(tasks);
    return status;
}
