/* SPDX-License-Identifier: MIT */
#include "src/files/output/temporary.h"
#include "src/files/output/unnamed.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES 200 /* of the target's name: a name may have 255 */
#define ENDING ".smoothimg"
#define NAMES 100 /* programs that write one target at the same time */

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
    while (digits + end < length && isdigit((unsigned char)name[length - end - digits - 1]))
        digits++;
    return digits > 0 && digits + end + 2 < length && name[length - end - digits - 1] == '.';
}

/* Is the open file still the one that the path names? If unknown, *reason says why; else 0. */
static bool is_named(int fd, const char *path, int *reason)
{
    struct stat opened, named;

    *reason = 0;
    if (fstat(fd, &opened) != 0 || lstat(path, &named) != 0) {
        *reason = errno == ENOENT ? 0 : errno;
        return false;
    }
    return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* A regular file of this user? A file written by root keeps the owner of the file it replaces. */
static bool is_own_file(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == geteuid() || geteuid() == 0);
}

/* Removes the file that a killed program left under this name. Only the owner of the lock removes a
 * name, and only while the file still has it, so the name cannot be a new file's by now. Without
 * locks, as on some file systems, nothing is removed. */
static bool remove_stale(const char *path)
{
    const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool removed = false;
    int unused;

    if (fd < 0)
        return false;
    if (is_own_file(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, path, &unused))
        removed = unlink(path) == 0;
    close(fd);
    return removed;
}

/* Creates and locks the file. Between the two it looks stale: if another run removes it, the name
 * counts as taken. */
static int create(const char *path, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    int reason = 0;

    if (fd < 0 || ((flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
                   is_named(fd, path, &reason)))
        return fd;
    if (reason != 0)
        unlink(path); /* was ours a moment ago */
    close(fd);
    errno = reason != 0 ? reason : EEXIST;
    return -1;
}

/* Names the file of *fd, or creates one if that is -1. */
static bool take(const char *path, mode_t mode, bool exists, int *fd)
{
    return exists ? unnamed_link(*fd, path) : (*fd = create(path, mode)) >= 0;
}

/* Takes the first name that is free or stale. */
static char *claim(const char *target, mode_t mode, int *fd)
{
    const bool exists = *fd >= 0;

    for (int number = 1; number <= NAMES; number++) {
        char *path = numbered(target, number);
        int reason = 0;

        if (!path)
            return NULL;
        if (take(path, mode, exists, fd))
            return path;
        reason = errno;
        if (reason == EEXIST && remove_stale(path) && take(path, mode, exists, fd))
            return path;
        free(path);
        errno = reason;
        if (reason != EEXIST)
            return NULL;
    }
    return NULL;
}

char *temporary_create(const char *target, mode_t mode, int *fd)
{
    *fd = -1;
    return claim(target, mode, fd);
}

char *temporary_link(const char *target, int fd)
{
    flock(fd, LOCK_EX | LOCK_NB);
    return claim(target, 0, &fd);
}

bool temporary_rename(const char *path, const char *target, bool no_clobber)
{
    if (!no_clobber)
        return rename(path, target) == 0;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return true;
    /* NFS cannot do that; link never replaces a file either. */
    if ((errno != EINVAL && errno != ENOSYS) || link(path, target) != 0)
        return false;
    unlink(path);
    return true;
}
