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

void tasks_free(struct tasks *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        task_free(&plan->tasks[i]);
    free(plan->tasks);
    memset(plan, 0, sizeof *plan);
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
    const size_t count = plan->count; /* whose room is the next power of two */
    struct task *grown = plan->tasks, *task;
    char *input = strdup(path);

    if (input && (count & (count - 1)) == 0)
        grown = reallocarray(grown, count > 0 ? 2 * count : 1, sizeof *grown);
    if (!input || !grown) {
        free(input);
        return plan_no_memory(error);
    }
    plan->tasks = grown;
    task = &grown[plan->count++];
    *task = (struct task){.input = input, .name = input + name_at, .bytes = -1};
    task->name += strspn(task->name, "/");
    if (info) {
        task->bytes = S_ISREG(info->st_mode) ? info->st_size : -1;
        task->device = info->st_dev;
        task->inode = info->st_ino;
    }
    return why ? task_fail(task, why, error) : STATUS_OK;
}

enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    return tasks_add_file(plan, path, name_at, NULL, &why, error);
}
