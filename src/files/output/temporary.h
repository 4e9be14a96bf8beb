/* SPDX-License-Identifier: MIT */
/* Temporary names in the target's folder: .NAME.RANDOM.smoothimg. */
#ifndef SMOOTHIMG_OUTPUT_TEMPORARY_H
#define SMOOTHIMG_OUTPUT_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates a file with a temporary name and opens it for writing as *fd. Returns the path, which the
 * caller frees, or NULL with errno. */
char *temporary_create(const char *target, mode_t mode, int *fd);

/* Gives an unnamed file a temporary name. Returns as temporary_create does. */
char *temporary_link(const char *target, int fd);

/* Renames the file to the target. Replaces an existing file, or, if no_clobber is set, fails with
 * EEXIST. Returns false with errno on failure. */
bool temporary_rename(const char *path, const char *target, bool no_clobber);

/* True if the path's last part is a temporary name. Such a file is not taken as an input: another
 * run of the program is writing it, or has left it. */
bool temporary_is_name(const char *path);

#endif
