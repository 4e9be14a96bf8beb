/* SPDX-License-Identifier: MIT */
/* Outputs that appear whole or not at all: a file in the target's folder gets its name when it is
 * whole. Until then it has none, so that nothing is left of it whatever ends the program; where the
 * system has no such files, it has a temporary one. Only output*.c create, rename and remove files.
 * Any number of threads may have outputs open, up to MAX_THREADS at once. */
#ifndef SMOOTHIMG_OUTPUT_H
#define SMOOTHIMG_OUTPUT_H

#include "error.h"
#include "output_guard.h"

#include <stdio.h>

struct output {
    FILE *file;         /* write here */
    const char *name;   /* for messages; standard output is "standard output" */
    char *target;       /* owned; NULL: written directly (standard output, a pipe, a device) */
    char *temporary;    /* owned; NULL: it has no name yet */
    char *buffer;       /* owned: of the file's stream */
    struct guard guard; /* of the temporary name, while there is one */
    bool no_clobber;
    bool replaces; /* there was a file of that name before */
};

/* What messages call an output: "standard output" for "-", else its path. */
const char *output_name(const char *path);

/* Opens path ("-": standard output) for writing. A symbolic link is followed: its target is
 * replaced, the link stays. What is no regular file (pipe, device) is opened and written directly.
 * An existing file's permissions are kept, and a write-protected one is refused. With no_clobber an
 * existing file is STATUS_OUTPUT: here, or in output_commit if it has come in the meantime.
 * Standard output on a terminal is refused (STATUS_USAGE). path must outlive *output. */
enum status output_open(struct output *output, const char *path, bool no_clobber,
                        struct error *error);

/* Flushes, checks every earlier write, and gives the file its name; one that replaces another is
 * made durable first. Whatever happens, *output is closed afterwards; on failure the old file, if
 * any, is as it was. */
enum status output_commit(struct output *output, struct error *error);

/* Closes the file, unfinished, and removes it. Harmless after output_commit. */
void output_abandon(struct output *output);

/* Arranges that SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE and SIGXCPU remove the temporary names in
 * use, of all threads, and then end the program as the signal would have, or as process 1,
 * where it would not, with exit status 128 + its number (one that is ignored already stays so), and
 * that a file-size limit is an error and not a death. */
void output_guard_signals(void);

#endif
