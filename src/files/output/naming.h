/* SPDX-License-Identifier: MIT */
/* A complete file gets its name, all at once, and what it replaces is kept if that is wanted. */
#ifndef SMOOTHIMG_NAMING_H
#define SMOOTHIMG_NAMING_H

#include "src/files/output/output.h"

/* Names the file of an output, open as fd: complete, and not closed before. Returns 0 or an errno:
 * then the old file is unchanged. */
int output_give_name(struct output *output, int fd);

#endif
