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

/* Does the path still name the open file? *reason: the errno if that is unknown, else 0. */
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

/* A regular file of this user? For root any owner: its outputs keep the owner of the old file. */
static bool is_own_file(int fd)
{
    struct stat info;

    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           (info.st_uid == geteuid() || geteuid() == 0);
}

/* Removes the file that a killed program left under this name, recognised by its free lock. The
 * lock is held, and the name checked again, before the removal: by then another program may have
 * removed this file and created its own. On a file system without locks nothing is removed. */
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

/* Creates and locks the file. Between the two it looks stale, and another program may lock and
 * remove it: then the result is EEXIST, as if the name had been taken. */
static int create(const char *path, mode_t mode)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    int reason = 0;
    bool lost;

    if (fd < 0)
        return -1;
    lost = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!lost && is_named(fd, path, &reason))
        return fd;
    if (reason != 0)
        unlink(path); /* cannot be examined, but was created here */
    close(fd);
    errno = reason != 0 ? reason : EEXIST;
    return -1;
}

/* Gives the unnamed file *fd the name `path`; if *fd is -1, creates a file of that name: *fd. */
static bool take(const char *path, mode_t mode, int *fd)
{
    if (*fd >= 0)
        return unnamed_link(*fd, path);
    *fd = create(path, mode);
    return *fd >= 0;
}

/* Takes the first temporary name that is free or stale. Returns it, or NULL with errno. */
static char *claim(const char *target, mode_t mode, int *fd)
{
    for (int number = 1; number <= MAX_NUMBER; number++) {
        char *path = numbered(target, number);
        int reason = 0;

        if (!path)
            return NULL;
        if (take(path, mode, fd))
            return path;
        reason = errno;
        if (reason == EEXIST && remove_stale(path) && take(path, mode, fd))
            return path;
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
    flock(fd, LOCK_EX | LOCK_NB);
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
