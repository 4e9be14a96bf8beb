/* SPDX-License-Identifier: MIT */
/* Temporary names in the target's folder: .NAME.RANDOM.smoothimg. */
#ifndef SMOOTHIMG_OUTPUT_TEMPORARY_H
#define SMOOTHIMG_OUTPUT_TEMPORARY_H

#include <stdbool.h>

/* Makes FOLDER/.NAME.RANDOM.smoothimg for FOLDER/NAME. The caller frees the path. Returns NULL with
 * errno if memory runs out or there are no random bytes. */
char *temporary_name(const char *target);

/* Renames the file to the target. Replaces an existing file, or, if no_clobber is set, fails with
 * EEXIST. Returns false with errno on failure. */
bool temporary_rename(const char *path, const char *target, bool no_clobber);

/* True if the path's last part looks like a temporary name. Such a file is not taken as an input:
 * another run of the program is writing it, or has left it. */
bool temporary_is_name(const char *path);

#endif
