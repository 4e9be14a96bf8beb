/* SPDX-License-Identifier: MIT */
/* How much work an input will be, by a glance at its first bytes. For estimates only: what is
 * damaged, or cannot be told, is none of its business. */
#ifndef SMOOTHIMG_GLANCE_H
#define SMOOTHIMG_GLANCE_H

#include "image.h"

#include <stdbool.h>

struct glance {
    int64_t images;     /* at least 1 */
    struct shape shape; /* of the first, as it will be in memory */
    bool png;
};

/* Looks at a file, or, for `-`, at the file that standard input is, whose position stays. False,
 * and *glance is not valid: it is no image, or a pipe. */
bool glance_at(const char *input, struct glance *glance);

/* The same for the first bytes of a file that has file_bytes in all. */
bool glance_at_head(const unsigned char *head, size_t bytes, int64_t file_bytes,
                    struct glance *glance);

#endif
