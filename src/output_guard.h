/* SPDX-License-Identifier: MIT */
/* Temporary files that a signal must not leave behind: a table that the signal handler can read.
 * For output.c alone. */
#ifndef SMOOTHIMG_OUTPUT_GUARD_H
#define SMOOTHIMG_OUTPUT_GUARD_H

#include <sys/types.h>

#define GUARD_SLOTS 256 /* temporary files at the same time */

/* Creates the file path, which must not exist yet, for writing, and guards it. Returns its file
 * descriptor and *slot, or -1 with errno (EMFILE if every slot is taken). */
int guard_create(const char *path, mode_t mode, int *slot);

/* The file has got its name or is gone: a signal need not look after it any more. */
void guard_release(int slot);

#endif
