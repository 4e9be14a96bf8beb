/* SPDX-License-Identifier: MIT */
/* A scratch folder, for tests that need files. If a system call fails, the functions exit with
 * 99. */
#ifndef SMOOTHIMG_SCRATCH_H
#define SMOOTHIMG_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a folder under TMPDIR or /tmp for this process, and removes it with its files at exit. */
void scratch_make(void);

/* Returns the path of `name` in the folder. The string stays valid during the same thread's next
 * fifteen calls. */
const char *scratch_path(const char *name);

void scratch_write(const char *path, const void *bytes, size_t count);

/* Returns whether the file holds this text, and prints what it holds if not. */
bool scratch_holds(const char *path, const char *want);

/* Returns how many files and folders the scratch folder has. */
int scratch_entries(void);

#endif
