/* SPDX-License-Identifier: MIT */
/* What a run will do: which file becomes which, all of it known and checked before work begins.
 *
 * An output folder keeps of an input the name that the input has within the folder it was found in:
 * images/a/x.pgm, found in images, becomes OUT/a/x.pgm. A file that was named itself keeps what
 * stands behind its last slash, or behind the mark "/./" if its name has one, as with rsync -R. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "options.h"

#include <sys/stat.h>
#include <sys/types.h>

#define TASK_NOT_LOST (-1)

/* One input and its output. */
struct task {
    char *input;      /* owned; "-" is standard input, if the plan has one task only */
    const char *name; /* the part of input that the output folder keeps */
    char *output;     /* owned; NULL where there is a problem */
    int64_t bytes;    /* of the input file, 0 if unknown */
    dev_t device;     /* with inode: which file the input is; both 0 if unknown */
    ino_t inode;
    bool same_format; /* the output's name has no say in its format (a folder's odd names) */
    bool exists;      /* the output is there already */
    char *problem;    /* owned; why this cannot be done (a folder that cannot be read), or NULL */
    int lost_on;      /* by crew.c: the device that was lost with it, or TASK_NOT_LOST */
    bool finished;    /* by crew.c: done, or skipped */
};

struct plan {
    struct task *tasks; /* in the order of the command line; in a folder, of the names' bytes */
    size_t count, room;
    int64_t others;  /* files that are no images, and were left alone */
    int64_t foreign; /* images of other shards */
    bool folders;    /* a batch of any number of files. Else there is one task */
};

/* Makes the plan that the options ask for; reads folders and --files-from, and nothing else. The
 * caller frees it, also on failure. STATUS_USAGE where outputs would get in the way of each other
 * or of an input, STATUS_INPUT where a folder that was named or a list cannot be read. */
enum status plan_make(const struct options *options, struct plan *plan, struct error *error);

void plan_free(struct plan *plan);

/* Of all inputs, as far as they are known. */
int64_t plan_bytes(const struct plan *plan);

/* Writes the names of the inputs of tasks that are not finished, as --files-from understands them,
 * so that their outputs are found again: the part that the output folder keeps stands behind "/./".
 * A name a line, or, where one has a line's end in it, each with a '\0' at its end. */
void plan_write_unfinished(FILE *stream, const struct plan *plan);

/* The rest is between the files plan*.c. */

/* Adds a task for the input, which it owns from here on; name points into it. NULL without memory.
 */
struct task *plan_add(struct plan *plan, char *input, size_t name_at);

/* Adds the inputs of the command line and of --files-from. */
enum status plan_add_inputs(struct plan *plan, const struct options *options, struct error *error);

/* Adds a task for a path, whose file is *about (NULL: unknown); name_at: where the part of it
 * begins that the output folder keeps; problem: why it cannot be done, or NULL. */
enum status plan_add_file(struct plan *plan, const char *path, size_t name_at,
                          const struct stat *about, const char *problem, struct error *error);

/* The same for what cannot be examined, for that reason (an errno). */
enum status plan_add_unreachable(struct plan *plan, const char *path, size_t name_at, int reason,
                                 struct error *error);

/* Adds the images of a folder; listed: it was named in a list, see name_kept. */
enum status plan_add_folder(struct plan *plan, const struct options *options, const char *path,
                            bool listed, struct error *error);

/* STATUS_USAGE where outputs would get in the way of each other or of an input; in place, where one
 * file would be done twice. A task whose output cannot be examined gets a problem. */
enum status plan_check(const struct options *options, struct plan *plan, struct error *error);

enum status plan_no_memory(struct error *error);

/* Where, in the path of a file that was named, the part begins that the output folder keeps. In a
 * list, as find prints it, a path that begins with "./" is kept whole. */
size_t name_kept(const char *path, bool listed);

/* Sets task->output and same_format: the name in the output folder, with --suffix and --format; or
 * in place, the input's. STATUS_USAGE for a name that leads out of the folder. */
enum status name_output(struct task *task, const struct options *options, struct error *error);

#endif
