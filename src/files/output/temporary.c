/* SPDX-License-Identifier: MIT */
#include "src/files/output/temporary.h"
#include "src/files/output/unnamed.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_BYTES 200 /* of the target's name that a temporary name repeats; 255 are allowed */
#define ENDING ".smoothimg"
#define MAX_NUMBER 100 /* so many programs can write one target at the same time */

/* FOLDER/.NAME.NUMBER.smoothimg for FOLDER/NAME. The caller frees it; NULL without memory. */
static char *numbered(const char *target, int number)
{
    const char *slash = strrchr(target, '/');
    const int folder_bytes = slash ? (int)(slash - target) + 1 : 0;
    char *path;

    if (asprintf(&path, "%.*s.%.*s.%d" ENDING, folder_bytes, target, NAME_BYTES,
                 target + folder_bytes, number) < 0)
        return NULL;
    return path;
}

bool temporary_is_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t length = strlen(name), end = strlen(ENDING);
    size_t digits = 0;

    if (*name != '.' || length < end || strcmp(name + length - end, ENDING) != 0)
        return false;
    /* From the right: the ending, at least one digit, a dot, and at least one byte of the name. */
    while (digits + end < length && isdigit((unsigned char)name[length - end - digits - 1]))
        digits++;
    return digits > 0 && digits + end + 2 < length && name[length - end - digits - 1] == '.';
}

/* Gives the unnamed file *fd the name `path`; if *fd is -1, creates a file of that name: *fd. */
static bool take(const char *path, mode_t mode, int *fd)
{
    if (*fd >= 0)
        return unnamed_link(*fd, path);
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return *fd >= 0;
}

/* Takes the first temporary name that is free. Returns it, or NULL with errno. */
static char *claim(const char *target, mode_t mode, int *fd)
{
    for (int number = 1; number <= MAX_NUMBER; number++) {
        char *path = numbered(target, number);
        int reason;

        if (!path)
            return NULL;
        if (take(path, mode, fd))
            return path;
        reason = errno;
        free(path);
        errno = reason;
        if (reason != EEXIST)
            return NULL;
    }
    errno = TEMPORARY_NAMES_TAKEN;
    return NULL;
}

char *temporary_create(const char *target, mode_t mode, int *fd)
{
    *fd = -1;
    return claim(target, mode, fd);
}

char *temporary_link(const char *target, int fd)
{
    return claim(target, 0, &fd);
}

bool temporary_rename(const char *path, const char *target, bool no_clobber)
{
    if (!no_clobber)
        return rename(path, target) == 0;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return true;
    /* NFS has no RENAME_NOREPLACE; link never replaces a file either. */
    if ((errno != EINVAL && errno != ENOSYS) || link(path, target) != 0)
        return false;
    unlink(path);
    return true;
}
