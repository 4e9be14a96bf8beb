/* SPDX-License-Identifier: MIT */
#include "src/files/output/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* A temporary name contains at most this many bytes of the target's name, so that it is not longer
 * than 255 bytes, the limit of file systems. */
#define NAME_BYTES 200
#define ENDING ".smoothimg"

/* mkostemp is not used, because it lets only the owner read the file, whatever the umask. */
char *temporary_name(const char *target)
{
    const char *slash = strrchr(target, '/');
    const int folder_bytes = slash ? (int)(slash - target) + 1 : 0;
    unsigned long long number;
    char *path;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number ||
        asprintf(&path, "%.*s.%.*s.%016llx" ENDING, folder_bytes, target, NAME_BYTES,
                 target + folder_bytes, number) < 0)
        return NULL;
    return path;
}

bool temporary_is_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t length = strlen(name), end = strlen(ENDING);

    return *name == '.' && length > end && strcmp(name + length - end, ENDING) == 0;
}

bool temporary_rename(const char *path, const char *target, bool no_clobber)
{
    if (!no_clobber)
        return rename(path, target) == 0;
    if (renameat2(AT_FDCWD, path, AT_FDCWD, target, RENAME_NOREPLACE) == 0)
        return true;
    /* NFS has no RENAME_NOREPLACE. There this function uses link(), which never replaces a file
     * either. */
    if ((errno != EINVAL && errno != ENOSYS) || link(path, target) != 0)
        return false;
    unlink(path);
    return true;
}
