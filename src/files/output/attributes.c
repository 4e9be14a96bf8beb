/* SPDX-License-Identifier: MIT */
#include "src/files/output/attributes.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#define ACL "system.posix_acl_access"
#define OF_USERS "user."

struct room {
    char names[XATTR_LIST_MAX];
    char value[XATTR_SIZE_MAX];
};

/* True if the file lacks the attribute, or its file system has no attributes at all. */
static bool is_absent(int reason)
{
    return reason == ENODATA || reason == ENOTSUP;
}

/* Copies one attribute, if it exists. Returns 0 or an errno. */
static int keep(const char *path, const char *name, int fd, struct room *room)
{
    const ssize_t bytes = getxattr(path, name, room->value, sizeof room->value);

    if (bytes < 0)
        return is_absent(errno) ? 0 : errno;
    return fsetxattr(fd, name, room->value, (size_t)bytes, 0) == 0 ? 0 : errno;
}

static int keep_all(const char *path, int fd, struct room *room)
{
    ssize_t bytes;
    int reason = 0;

    if (fremovexattr(fd, ACL) != 0 && !is_absent(errno))
        return errno;
    reason = keep(path, ACL, fd, room);
    bytes = reason == 0 ? listxattr(path, room->names, sizeof room->names) : 0;
    if (bytes < 0)
        return is_absent(errno) ? 0 : errno;
    for (const char *name = room->names; reason == 0 && name < room->names + bytes;
         name += strlen(name) + 1)
        if (strncmp(name, OF_USERS, strlen(OF_USERS)) == 0)
            reason = keep(path, name, fd, room);
    return reason;
}

int attributes_keep(const char *path, int fd)
{
    struct room *room = malloc(sizeof *room);
    const int reason = room ? keep_all(path, fd, room) : ENOMEM;

    free(room);
    return reason;
}
