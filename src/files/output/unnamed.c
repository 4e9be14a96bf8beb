/* SPDX-License-Identifier: MIT */
/* Unnamed files by Linux's O_TMPFILE. Until such a file has a name, the link in /proc/self/fd
 * refers to it. */
#include "src/files/output/unnamed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int unnamed_create(const char *target, mode_t mode)
{
    const char *slash = strrchr(target, '/');
    char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
    int fd = folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode) : -1;

    free(folder);
    /* Without /proc the complete file could not get a name. */
    if (fd >= 0 && access("/proc/self/fd", X_OK) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool unnamed_link(int fd, const char *path)
{
    char link[32];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}
