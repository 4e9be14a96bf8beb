/* SPDX-License-Identifier: MIT */
/* Outputs that appear whole or not at all. The target is the path that the output will have. While
 * the output is written, it is a file without a name in the target's folder; it gets its name when
 * it is complete. So nothing is left of the output if the program dies earlier. If the system has
 * no unnamed files, a temporary name is used. Standard output, pipes and devices are not replaced:
 * they are written directly. */
#ifndef SMOOTHIMG_OUTPUT_H
#define SMOOTHIMG_OUTPUT_H

#include "src/lib/base/error.h"
#include "src/files/output/signals.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct output {
    FILE *file;       /* the caller writes here */
    const char *name; /* for messages; standard output is "standard output" */
    /* Owned: the target; NULL: the output is standard output, a pipe or a device. */
    char *target;
    char *temporary;             /* owned: the file's temporary path; NULL: it has no name yet */
    char *buffer;                /* owned: the stream's buffer */
    bool has_times;              /* output_take_times has set `times`, which the file gets */
    struct timespec times[2];    /* times of the last access and of the last modification */
    struct signals_name guarded; /* the temporary name, whose file a fatal signal removes */
    bool no_clobber;
    bool replaces; /* a file with the target's name existed when the output was opened */
    int64_t bytes; /* after output_commit succeeds: the file's size; -1: not a regular file */
};

/* Returns how messages name the output: "standard output" for "-", else the path. */
const char *output_name(const char *path);

/* Returns STATUS_OUTPUT if the folder of this path does not exist. */
enum status output_check_folder(const char *path, struct error *error);

/* True if the path names a regular file, or one that does not exist yet; false for standard output,
 * a pipe or a device. */
bool output_is_file(const char *path);

/* Opens path ("-": standard output) for writing. Follows a symbolic link: replaces its target and
 * keeps the link. Writes to a pipe or device directly. The new file gets the permissions of an
 * existing file, its ACL and its attributes (attributes.h). Fails if one of these cannot be kept,
 * or if the existing file is write-protected. With no_clobber returns STATUS_OUTPUT if the file
 * exists and is a regular file; if another program creates the file later, output_commit returns
 * STATUS_OUTPUT. Returns STATUS_USAGE if path is "-" and standard output is a terminal. path must
 * outlive *output, which must not be moved. */
enum status output_open(struct output *output, const char *path, bool no_clobber,
                        struct error *error);

/* Gives the output the times of the file `input`, if `input` is a regular file. */
void output_take_times(struct output *output, FILE *input);

/* Flushes, checks every earlier write, and names the file; syncs it first if it replaces another.
 * Always closes *output, and sets its `bytes`. On failure the old file, if any, is unchanged. */
enum status output_commit(struct output *output, struct error *error);

/* Closes and removes the unfinished file. Harmless after output_commit. */
void output_abandon(struct output *output);

#endif
