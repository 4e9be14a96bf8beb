/* SPDX-License-Identifier: MIT */
/* The tasks of a run. */
#ifndef SMOOTHIMG_PLAN_LIST_H
#define SMOOTHIMG_PLAN_LIST_H

#include "src/lib/base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* One input and its output. */
struct task {
    char *input;      /* owned; "-", only in a plan of one task, is standard input */
    const char *name; /* the part of input that the output folder keeps */
    char *output;     /* owned; NULL if there is a problem */
    int64_t bytes;    /* of the input file, 0 if unknown */
    bool sized;       /* they are known: it is a regular file */
    dev_t device;     /* with inode: which file the input is; both 0 if unknown */
    ino_t inode;
    bool same_format; /* the output has the input's format, whatever its name */
    bool exists;      /* the output exists */
    char *problem;    /* owned; why this cannot be done (say, an unreadable folder), or NULL */
    /* Of the worker pool; a signal handler reads them. Finished: done, or skipped. */
    atomic_bool finished, failed;
};

/* What a folder holds and is not done. */
struct passed_over {
    char *path;      /* owned */
    const char *why; /* static */
    int64_t bytes;   /* of a regular file; else -1 */
    bool folder;     /* a subfolder; otherwise a file */
};

struct plan {
    struct task *tasks; /* in the order of the command line; in a folder, by the names' bytes */
    size_t count, room;
    struct passed_over *passed_over; /* in the order of the walk */
    size_t passed_count, passed_room;
    int64_t others;       /* of them, files: not supported images, for the most part */
    int64_t folders_left; /* of them, folders */
    int64_t foreign;      /* images of other shards */
    bool folders;         /* a batch of any number of files; otherwise there is one task */
};

void task_free(struct task *task);
void plan_free(struct plan *plan);

/* Takes bytes of a text, in their order. */
typedef void plan_put(void *context, const char *bytes, size_t count);

/* Puts the names of the inputs of unfinished tasks in the form of --files-from; "/./" marks the
 * part that the output folder keeps. Each name ends in a newline or, if any of them contains one,
 * in '\0'. Async-signal-safe, if put is. */
void plan_put_unfinished(const struct plan *plan, plan_put *put, void *context);

/* Adds a task for the input; name_at: where the part of the path begins that the output folder
 * keeps. NULL without memory. */
struct task *plan_add(struct plan *plan, const char *path, size_t name_at);

/* Notes the size and the identity of the input in its task. */
void task_take_info(struct task *task, const struct stat *info);

/* The same as plan_add, with *info of the input (NULL: unknown) and the problem (or NULL). */
enum status plan_add_file(struct plan *plan, const char *path, size_t name_at,
                          const struct stat *info, const char *problem, struct error *error);

/* The same for an input that could not be examined: reason is an errno. */
enum status plan_add_unreachable(struct plan *plan, const char *path, size_t name_at, int reason,
                                 struct error *error);

/* Notes what is not done; *info of it (NULL: unknown); why must be static. */
enum status plan_pass_over(struct plan *plan, const char *path, const struct stat *info,
                           const char *why, struct error *error);

enum status plan_no_memory(struct error *error);

#endif
