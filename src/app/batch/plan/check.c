/* SPDX-License-Identifier: MIT */
/* Do outputs collide with each other, or with an input? */
#include "src/app/batch/plan/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Fails if two inputs have one output. tasks are sorted by output. */
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

static enum status refuse_twice(const struct task *first, const struct task *second,
                                struct error *error)
{
    if (strcmp(first->input, second->input) == 0)
        return fail(error, STATUS_USAGE,
                    "%s: would be replaced twice; nothing was done: name it once", first->input);
    return fail(error, STATUS_USAGE,
                "%s and %s are the same file; nothing was done: make one of them a copy, or leave "
                "it out",
                first->input, second->input);
}

/* In place: fails if a file is named twice, or by two names, and would be done twice. Sets exists.
 * tasks are sorted by file. */
static enum status check_in_place(struct task *const *tasks, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        tasks[i]->exists = tasks[i]->inode != 0;
        if (i > 0 && tasks[i]->exists && by_file(&tasks[i - 1], &tasks[i]) == 0)
            return tasks[i - 1] < tasks[i] ? refuse_twice(tasks[i - 1], tasks[i], error)
                                           : refuse_twice(tasks[i], tasks[i - 1], error);
    }
    return STATUS_OK;
}

/* Gives the task, whose output could not be examined, a problem: it will fail. */
static enum status note_unreachable(struct task *task, int reason, struct error *error)
{
    if (asprintf(&task->problem, "%s: cannot be written: %s", task->output, strerror(reason)) >= 0)
        return STATUS_OK;
    task->problem = NULL;
    return plan_no_memory(error);
}

/* Fails if an output would replace the input of a task. Sets exists. tasks are sorted by file. */
static enum status check_replaced(struct task *const *tasks, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct task *task = tasks[i], wanted = {0};
        struct task *const key = &wanted, *const * found;
        struct stat info;

        if (stat(task->output, &info) != 0) {
            if (errno != ENOENT && errno != ENOTDIR &&
                note_unreachable(task, errno, error) != STATUS_OK)
                return error->status;
            continue;
        }
        /* An empty file does not count: a crash of the machine may leave one, see finish_stream in
         * output.c. */
        task->exists = !S_ISREG(info.st_mode) || info.st_size > 0;
        wanted.device = info.st_dev;
        wanted.inode = info.st_ino;
        found = bsearch(&key, tasks, count, sizeof *tasks, by_file);
        if (found)
            return refuse_replacing(task, *found, error);
    }
    return STATUS_OK;
}

enum status plan_check(const struct plan_options *options, struct plan *plan, struct error *error)
{
    struct task **tasks = calloc(plan->count + 1, sizeof(struct task *));
    enum status status = STATUS_OK;
    size_t count = 0;

    if (!tasks)
        return plan_no_memory(error);
    for (size_t i = 0; i < plan->count; i++)
        if (!plan->tasks[i].problem)
            tasks[count++] = &plan->tasks[i];
    if (!options->in_place) {
        qsort(tasks, count, sizeof(struct task *), by_output);
        status = check_collisions(tasks, count, error);
    }
    qsort(tasks, count, sizeof(struct task *), by_file);
    if (status == STATUS_OK)
        status = options->in_place ? check_in_place(tasks, count, error)
                                   : check_replaced(tasks, count, error);
    free(tasks);
    return status;
}
