/* SPDX-License-Identifier: MIT */
/* Replaces open() and open64() (open() with 64-bit file offsets) by functions that fail for an
 * unnamed file (O_TMPFILE), as on a file system without unnamed files, such as NFS or FAT. The
 * linker's option --wrap makes callers of libc's functions call these instead. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

static int open_named(const char *path, int flags, unsigned mode)
{
    if ((flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

#define WRAP(NAME)                                                                                 \
    int __wrap_##NAME(const char *path, int flags, ...)                                            \
    {                                                                                              \
        va_list rest;                                                                              \
        int fd;                                                                                    \
                                                                                                   \
        va_start(rest, flags);                                                                     \
        fd = open_named(path, flags, (flags & O_CREAT) ? va_arg(rest, unsigned) : 0);              \
        va_end(rest);                                                                              \
        return fd;                                                                                 \
    }
WRAP(open)
WRAP(open64)
