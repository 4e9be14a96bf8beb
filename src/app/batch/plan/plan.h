/* SPDX-License-Identifier: MIT */
/* Plans a run: which input becomes which output. The plan is complete and checked before work
 * begins. An input that was found in a named folder keeps its path below that folder:
 * images/a/x.pgm, found in images, becomes OUT/a/x.pgm. A file that the user named keeps the part
 * of its name after the last slash, or after "/./" if the name contains that, as with rsync -R. */
#ifndef SMOOTHIMG_PLAN_H
#define SMOOTHIMG_PLAN_H

#include "src/lib/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

/* One part of a batch, for machines or processes that share the work without communicating. The
 * hash of a file's name decides its shard, so the shard does not depend on which other files
 * exist. */
struct shard {
    int index; /* 1 to count */
    int count; /* 0: no shards; one run does everything */
};

enum outcome {
    OUTCOME_DONE,
    OUTCOME_SKIPPED, /* the output exists */
    OUTCOME_FAILED,
    OUTCOME_PLANNED, /* not begun: with --dry-run, or before the task starts */
    OUTCOMES
};

struct task {
    char *input; /* owned; "-", in a plan of one task only, is standard input */
    /* Points into `input`, at the path that the output gets within the output folder. --suffix and
     * --format change the end of that path. Without an output folder `name` only decides the
     * shard. */
    const char *name;
    char *output;  /* owned; may be NULL if there is a problem */
    int64_t bytes; /* size of the input file, or -1 if it is unknown or not a regular file */
    int64_t work;  /* the file's share of the run's progress, in an arbitrary unit */
    dev_t device;  /* with `inode`, identifies the input file; both 0 if unknown */
    ino_t inode;
    bool same_format;    /* the output has the input's format, whatever its name */
    bool large;          /* done by all threads, before the others; set by batch_run */
    bool exists;         /* the output exists, and is no folder; empty: only with --in-place */
    bool second_operand; /* the output is the second operand: smoothimg INPUT OUTPUT */
    char *problem; /* owned; why the task cannot be done (say, an unreadable folder), or NULL */
    enum status problem_status; /* if there is a problem: the status with which the task fails */
    /* How the task will end, as far as is known before it starts: OUTCOME_FAILED if it has a
     * problem, else OUTCOME_SKIPPED or OUTCOME_PLANNED. */
    enum outcome prospect;
};

struct tasks {
    /* The first `count` tasks are done by this run. They are in the order of the command line;
     * within a folder, sorted by the bytes of the names. The `foreign` tasks that follow belong to
     * other shards. */
    struct task *tasks;
    size_t count;
    int64_t bytes;        /* the sum of the known `bytes` of the first `count` tasks */
    int64_t others;       /* files skipped in folders, such as backups and unsupported ones */
    int64_t folders_left; /* subfolders that are not entered */
    size_t foreign;       /* number of tasks that other shards (--shard) do */
    /* True for a batch: a folder, a list, several inputs or -O. Otherwise there is one task. */
    bool folders;
};

struct plan_options {
    char **inputs; /* at least one, unless files_from is given */
    int input_count;
    /* A file, or the folder for the outputs; NULL: outputs replace inputs (--in-place), or are next
     * to them (--suffix). */
    const char *output;
    /* The arguments of -o and -O; NULL: not given. output_dir may also be the last operand, the
     * folder for the outputs of several inputs. */
    const char *output_file, *output_dir;
    const char *format;              /* an extension; NULL: the output's name decides */
    const char *suffix, *files_from; /* NULL: not given */
    struct shard shard;
    bool recursive, in_place, skip_existing, fail_fast;
};

/* Returns true if the name is "-", standard input or output. `name` may be NULL. */
bool names_stream(const char *name);

/* The kind of file that a path names; PATH_STREAM is "-", standard input or output. If stat()
 * fails, path_kind returns PATH_MISSING and leaves the reason in errno. */
enum path_kind { PATH_MISSING, PATH_STREAM, PATH_FOLDER, PATH_FILE, PATH_DEVICE };
enum path_kind path_kind(const char *path);

/* Makes the plan. Reads only folders, --files-from, and the first bytes of some files, to tell
 * whether they are images. The caller frees the plan, also after a failure. Returns STATUS_USAGE
 * if two tasks have the same output, or an output would replace an input; STATUS_INPUT if a named
 * folder or a list cannot be read. */
enum status tasks_make(const struct plan_options *options, struct tasks *plan, struct error *error);

void tasks_free(struct tasks *plan);

#endif
