/* SPDX-License-Identifier: MIT */
/* Declares what only the sources of this folder share. */
#ifndef SMOOTHIMG_PLAN_PARTS_H
#define SMOOTHIMG_PLAN_PARTS_H

#include "src/app/batch/plan/plan.h"

/* Sets task->problem to the text of `why`, with its status, unless the task has a problem already.
 * batch_run later reports a task with a problem as failed, and does the other files. Fails only for
 * lack of memory. */
enum status task_fail(struct task *task, const struct error *why, struct error *error);

/* Adds a task for the input `path`. The part of `path` from index `name_at` on becomes task->name
 * (see plan.h). `info` is the file's stat, or NULL if unknown; `why` is the task's problem, or
 * NULL. */
enum status tasks_add_file(struct tasks *plan, const char *path, size_t name_at,
                           const struct stat *info, const struct error *why, struct error *error);

/* Like tasks_add_file, for an input that could not be examined. `reason` is the errno, whose text
 * becomes the task's problem. */
enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error);

enum status plan_no_memory(struct error *error);

/* Adds tasks for the inputs of the command line and of --files-from. */
enum status tasks_add_inputs(struct tasks *plan, const struct plan_options *options,
                             struct error *error);

/* Returns STATUS_USAGE if two tasks have the same output, if an output would replace an input, or,
 * with --in-place, if one file is the input of two tasks. If an output cannot be examined, its task
 * gets a problem. Sets the member `exists` of the other tasks. */
enum status tasks_check(const struct plan_options *options, struct tasks *plan,
                        struct error *error);

/* Returns the index in `path`, as the user wrote it, at which the name within the output folder
 * begins (see plan.h). `listed` means that --files-from lists the path. A leading "./", as find(1)
 * prints it, then counts as "/./", so that the name is all that follows it. */
size_t name_kept(const char *path, bool listed);

/* Sets task->output and same_format. The output is in the output folder if there is one, else next
 * to the input. --suffix and --format change the output's name; --in-place keeps the input's name.
 * Returns STATUS_USAGE for a name that leads out of the folder. */
enum status name_output(struct task *task, const struct plan_options *options, struct error *error);

#endif
