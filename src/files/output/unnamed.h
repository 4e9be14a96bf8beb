/* SPDX-License-Identifier: MIT */
/* Files that have no name until they are whole: whatever ends the program, nothing is left of them.
 * For output.c; apart from it, so that tests can link a system that has no such files. */
#ifndef SMOOTHIMG_OUTPUT_UNNAMED_H
#define SMOOTHIMG_OUTPUT_UNNAMED_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens, for writing, a file without a name in the folder of the path `target`, which unnamed_link
 * can name later. Returns its descriptor, or -1 where the file system or /proc is not up to it, or
 * the folder cannot be written to. */
int unnamed_create(const char *target, mode_t mode);

/* Gives the file the name `path`, in the folder it was made for. False with errno: EEXIST if there
 * is such a name already. */
bool unnamed_link(int fd, const char *path);

#endif
