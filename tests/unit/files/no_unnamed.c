/* SPDX-License-Identifier: MIT */
/* Replaces src/files/output/unnamed.c. Behaves as on a file system that has no unnamed temporary
 * files (O_TMPFILE), such as NFS or FAT. */
#include "src/files/output/unnamed.h"

#include <errno.h>

int unnamed_create(const char *target, mode_t mode)
{
    (void)target;
    (void)mode;
    errno = EOPNOTSUPP;
    return -1;
}

bool unnamed_link(int fd, const char *path)
{
    (void)fd;
    (void)path;
    errno = ENOENT;
    return false;
}
