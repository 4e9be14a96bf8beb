/* SPDX-License-Identifier: MIT */
/* Temporary names beside a target, .NAME.K.smoothimg with K from 1. The file that has one is locked
 * (flock) as long as it is open, so that what a killed program has left is known, and goes when the
 * next run wants the name: no folder has to be searched for it. Only output.c makes such names. */
#ifndef SMOOTHIMG_OUTPUT_TEMPORARY_H
#define SMOOTHIMG_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates a file under a temporary name, for writing: *fd. Returns the path, which the caller
 * frees, or NULL with errno. */
char *temporary_create(const char *target, mode_t mode, int *fd);

/* Gives the file of output_unnamed.h a temporary name. Returned as above. */
char *temporary_link(const char *target, int fd);

/* Gives the file the target's name instead, which replaces another file, unless no_clobber is set.
 * False with errno: EEXIST where it is. */
bool temporary_rename(const char *path, const char *target, bool no_clobber);

/* Does the path end in such a name? What lies in a folder under it is no input, but an output that
 * another program has in work, or has left. */
bool temporary_is_name(const char *path);

#endif
