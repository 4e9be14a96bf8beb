/* SPDX-License-Identifier: MIT */
/* A file that a signal handler writes before the program dies, whole or not at all. */
#ifndef SMOOTHIMG_SIGNAL_FILE_H
#define SMOOTHIMG_SIGNAL_FILE_H

#include "src/files/output/output.h"

#include <sys/stat.h>

#define SIGNAL_FILE_BYTES 4096 /* of a write */

/* All zeros: not prepared. */
struct signal_file {
    char *target, *temporary; /* owned; NULL: written directly, to a pipe or a device */
    struct stat info;         /* owner and permissions */
    bool replaces;            /* a file of that name existed */
    int fd;
    bool prepared, whole; /* whole: no write has failed */
    size_t used;          /* of the buffer */
    char buffer[SIGNAL_FILE_BYTES];
};

/* Prepares a file with the name and the permissions of an open output, which may be committed,
 * abandoned or left as it is. STATUS_OUTPUT without memory or descriptors. */
enum status signal_file_prepare(struct signal_file *file, const struct output *output,
                                struct error *error);

void signal_file_free(struct signal_file *file);

/* What follows is async-signal-safe, and for one thread. False if the file was not prepared, or
 * cannot be created. */
bool signal_file_open(struct signal_file *file);

/* Adds bytes. context is the struct signal_file. */
void signal_file_put(void *context, const char *bytes, size_t count);

/* Names the file if it is whole, else removes it: the old one stays then. Returns whether it is
 * named. */
bool signal_file_commit(struct signal_file *file);

#endif
