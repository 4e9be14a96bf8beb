/* SPDX-License-Identifier: MIT */
/* What the sources of this folder share: the list of tasks, inputs, and names of outputs. */
#ifndef SMOOTHIMG_PLAN_PARTS_H
#define SMOOTHIMG_PLAN_PARTS_H

#include "src/app/batch/plan/plan.h"

void task_free(struct task *task);

/* Gives the task a problem, unless it has one: it will fail, and the other files will be done. */
enum status task_fail(struct task *task, const struct error *why, struct error *error);

/* Adds a task for the input, with *info of it (NULL: unknown) and its problem (or NULL); name_at:
 * where the part of the path begins that the output folder keeps. */
enum status tasks_add_file(struct tasks *plan, const char *path, size_t name_at,
                           const struct stat *info, const struct error *why, struct error *error);

/* The same for an input that could not be examined: reason is an errno. */
enum status tasks_add_unreachable(struct tasks *plan, const char *path, size_t name_at, int reason,
                                  struct error *error);

enum status plan_no_memory(struct error *error);

/* Adds the inputs of the command line and of --files-from. */
enum status tasks_add_inputs(struct tasks *plan, const struct plan_options *options,
                             struct error *error);

/* STATUS_USAGE if outputs collide with each other or with an input; in place, if one file would be
 * done twice. A task gets a problem if its output cannot be examined. */
enum status tasks_check(const struct plan_options *options, struct tasks *plan,
                        struct error *error);

/* The index in the path of a named file at which the part begins that the output folder keeps: see
 * plan.h. A path in a list (listed) that begins with "./", as find prints it, is kept whole. */
size_t name_kept(const char *path, bool listed);

/* Sets task->output and same_format: a name in the output folder, or next to the input if there
 * is none, with --suffix and --format; in place, the input's name. STATUS_USAGE for a name that
 * leads out of the folder. */
enum status name_output(struct task *task, const struct plan_options *options, struct error *error);

#endif
