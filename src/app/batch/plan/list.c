/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/parts.h"

#include <stdlib.h>
#include <string.h>

enum status plan_no_memory(struct error *error)
{
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

void task_free(struct task *task)
{
    free(task->input);
    free(task->output);
    free(task->problem);
}

static void free_all(struct task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        task_free(&tasks[i]);
    free(tasks);
}

void tasks_free(struct tasks *plan)
{
    free_all(plan->tasks, plan->count);
    free_all(plan->passed_over, plan->passed_count);
    memset(plan, 0, sizeof *plan);
}

/* Adds a task to an array, whose room is the next power of two. NULL without memory. */
static struct task *add(struct task **tasks, size_t *count, const char *path,
                        const struct stat *info, struct error *error)
{
    struct task *grown = *tasks, *task;
    char *input = strdup(path);

    if (input && (*count & (*count - 1)) == 0)
        grown = reallocarray(grown, *count > 0 ? 2 * *count : 1, sizeof *grown);
    if (!input || !grown) {
        free(input);
        plan_no_memory(error);
        return NULL;
    }
    *tasks = grown;
    task = &grown[(*count)++];
    *task = (struct task){.input = input, .name = input, .bytes = -1};
    if (info) {
        task->bytes = S_ISREG(info->st_mode) ? info->st_size : -1;
        task->device = info->st_dev;
        task->inode = info->st_ino;
    }
    return task;
}

enum status tasks_pass_over(struct tasks *plan, const char *path, const struct stat *info,
                            const char *why, struct error *error)
{
    struct task *task = add(&plan->passed_over, &plan->passed_count, path, info, error);

    if (!task)
        return error->status;
    task->why = why;
    task->folder = info && S_ISDIR(info->st_mode);
    plan->others += !task->folder;
    plan->folders_left += task->folder;
    return STATUS_OK;
}

enum status task_fail(struct task *task, const struct error *why, struct error *error)
{
    if (!task->problem)
        task->problem = strdup(why->text);
    return task->problem ? STATUS_OK : plan_no_memory(error);
}

enum status tasks_add_file(struct tasks *plan, const char *path, size_t name_at,
                           const struct stat *info, const struct error *why, struct error *error)
{
    struct task *task = add(&plan->tasks, &plan->count, path, info, error);

    if (!task)
        return error->status;
    task->name += name_at;
    task->name += strspn(task->name, "/");
    return why ? task_fail(task, why, error) : STATUS_OK;
}

enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    return tasks_add_file(plan, path, name_at, NULL, &why, error);
}
