/* SPDX-License-Identifier: MIT */
#include "src/app/batch/plan/parts.h"

#include <stdlib.h>
#include <string.h>

enum status plan_no_memory(struct error *error)
{
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

/* The same array with room for one more element of so many bytes. NULL without memory. */
static void *grow(void *array, size_t count, size_t *room, size_t bytes)
{
    if (count == *room) {
        const size_t wanted = *room > 0 ? 2 * *room : 64;

        array = reallocarray(array, wanted, bytes);
        *room = array ? wanted : count;
    }
    return array;
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
    for (size_t i = 0; i < plan->passed_count; i++)
        free(plan->passed_over[i].path);
    free(plan->passed_over);
    memset(plan, 0, sizeof *plan);
}

enum status tasks_pass_over(struct tasks *plan, const char *path, const struct stat *info,
                            const char *why, struct error *error)
{
    const bool folder = info && S_ISDIR(info->st_mode);
    const int64_t bytes = info && S_ISREG(info->st_mode) ? info->st_size : -1;
    struct passed_over *entries =
        grow(plan->passed_over, plan->passed_count, &plan->passed_room, sizeof *entries);
    char *copy = entries ? strdup(path) : NULL;

    if (entries)
        plan->passed_over = entries;
    if (!copy)
        return plan_no_memory(error);
    plan->passed_over[plan->passed_count++] = (struct passed_over){copy, why, bytes, folder};
    plan->others += !folder;
    plan->folders_left += folder;
    return STATUS_OK;
}

/* Notes the size and the identity of the input in its task. */
static void take_info(struct task *task, const struct stat *info)
{
    task->bytes = S_ISREG(info->st_mode) ? info->st_size : -1;
    task->device = info->st_dev;
    task->inode = info->st_ino;
}

enum status tasks_add_file(struct tasks *plan, const char *path, size_t name_at,
                           const struct stat *info, const char *problem, struct error *error)
{
    struct task *tasks = grow(plan->tasks, plan->count, &plan->room, sizeof *tasks), *task;

    if (!tasks)
        return plan_no_memory(error);
    plan->tasks = tasks;
    task = &tasks[plan->count++];
    *task = (struct task){
        .input = strdup(path), .bytes = -1, .problem = problem ? strdup(problem) : NULL};
    if (!task->input || (problem && !task->problem))
        return plan_no_memory(error);
    while (path[name_at] == '/')
        name_at++;
    task->name = task->input + name_at;
    if (info)
        take_info(task, info);
    return STATUS_OK;
}

enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    return tasks_add_file(plan, path, name_at, NULL, why.text, error);
}
