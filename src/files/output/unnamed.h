/* SPDX-License-Identifier: MIT */
/* Files without a name: nothing is left of them if the program dies. unnamed.c has only these
 * functions, so that a test can replace them by functions that behave as on a system without
 * unnamed files. */
#ifndef SMOOTHIMG_OUTPUT_UNNAMED_H
#define SMOOTHIMG_OUTPUT_UNNAMED_H

#include <stdbool.h>
#include <sys/types.h>

/* Creates an unnamed file for writing in the folder of `target`. Returns its descriptor, which the
 * caller closes; -1 if the file system has no such files, /proc is missing, or the folder is
 * write-protected. */
int unnamed_create(const char *target, mode_t mode);

/* Gives the file of fd the name `path`, which must be in the folder of unnamed_create's target.
 * Returns false and sets errno on failure: to EEXIST if the name exists. */
bool unnamed_link(int fd, const char *path);

#endif
