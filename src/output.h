/* SPDX-License-Identifier: MIT */
/* Outputs that appear whole or not at all: written under a temporary name in the target's folder,
 * and renamed. The only file that creates, renames or removes files. */
#ifndef SMOOTHIMG_OUTPUT_H
#define SMOOTHIMG_OUTPUT_H

#include "error.h"

#include <stdbool.h>
#include <stdio.h>

struct output {
    FILE *file;       /* write here */
    const char *name; /* for messages; standard output is "standard output" */
    char *target;     /* owned; NULL: written directly (standard output, a pipe, a device) */
    char *temporary;  /* owned; NULL: written directly */
    bool no_clobber;
};

/* Opens path ("-": standard output) for writing. A symbolic link is followed: its target is
 * replaced, the link stays. What is no regular file (pipe, device) is opened and written directly.
 * An existing file's permissions are kept. With no_clobber an existing file is STATUS_OUTPUT.
 * Standard output on a terminal is refused (STATUS_USAGE). path must outlive *output. */
enum status output_open(struct output *output, const char *path, bool no_clobber,
                        struct error *error);

/* Flushes, checks every earlier write, makes the file durable and gives it its name. Whatever
 * happens, *output is closed afterwards; on failure the old file, if any, is as it was. */
enum status output_commit(struct output *output, struct error *error);

/* Closes and removes the temporary file. Harmless after output_commit. */
void output_abandon(struct output *output);

/* Arranges that SIGINT, SIGTERM and SIGHUP remove the temporary file in work and then end the
 * program as the signal would have, and that a file-size limit is an error and not a death. */
void output_guard_signals(void);

#endif
