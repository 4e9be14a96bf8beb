/* SPDX-License-Identifier: MIT */
/* Files without a name: nothing is left of them if the program dies. A source of their own, so that
 * tests can link a system without them. */
#ifndef SMOOTHIMG_OUTPUT_UNNAMED_H
#define SMOOTHIMG_OUTPUT_UNNAMED_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens an unnamed file for writing, in the folder of `target`. Returns its descriptor, or -1 if
 * the file system or /proc cannot do that, or the folder is write-protected. */
int unnamed_create(const char *target, mode_t mode);

/* Names the file `path`, in the folder it was created for. False with errno: EEXIST if the name
 * exists. */
bool unnamed_link(int fd, const char *path);

#endif
