/* SPDX-License-Identifier: MIT */
/* What plan.c calls: inputs.c (which calls folder.c), names.c and check.c. */
#ifndef SMOOTHIMG_PLAN_PARTS_H
#define SMOOTHIMG_PLAN_PARTS_H

#include "src/app/batch/plan/plan.h"

/* Adds the inputs of the command line and of --files-from. */
enum status plan_add_inputs(struct plan *plan, const struct plan_options *options,
                            struct error *error);

/* Adds the images of a folder. listed: --files-from names the folder, see name_kept. */
enum status plan_add_folder(struct plan *plan, const struct plan_options *options, const char *path,
                            bool listed, struct error *error);

/* STATUS_USAGE if outputs collide with each other or with an input; in place, if one file would be
 * done twice. A task whose output cannot be examined gets a problem. */
enum status plan_check(const struct plan_options *options, struct plan *plan, struct error *error);

/* The index in the path of a named file at which the part begins that the output folder keeps: see
 * plan.h. A path in a list (listed) that begins with "./", as find prints it, is kept whole. */
size_t name_kept(const char *path, bool listed);

/* Does the name end in this suffix (NULL: never)? A backup of another run is no input. */
bool name_is_backup(const char *path, const char *suffix);

/* STATUS_USAGE if an input or an output of the task is named like a backup, which --backup could
 * replace. */
enum status name_check_backup(const struct task *task, const struct plan_options *options,
                              struct error *error);

/* Sets task->output and same_format: a name in the output folder, or next to the input if there
 * is none, with --suffix and --format; in place, the input's name. STATUS_USAGE for a name that
 * leads out of the folder. */
enum status name_output(struct task *task, const struct plan_options *options, struct error *error);

#endif
