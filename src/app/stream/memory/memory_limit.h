/* SPDX-License-Identifier: MIT */
/* How much memory this process may use, as far as the system tells. */
#ifndef SMOOTHIMG_MEMORY_LIMIT_H
#define SMOOTHIMG_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes of the machine's memory, or of the lowest limit of the control groups (version 1 or 2) that
 * the process is in, where that is lower; at most PTRDIFF_MAX, which with 32 bits is 2 GiB. root:
 * ""; or, in tests, a folder that has proc/self/cgroup and sys/fs/cgroup in place of the system's.
 */
int64_t memory_limit(const char *root);

#endif
