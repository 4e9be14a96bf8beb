/* SPDX-License-Identifier: MIT */
/* Outputs under a temporary name, until they are whole. */
#include "output.h"
#include "output_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_BUFFER_BYTES (1 << 18) /* system calls are rare, the second-level cache has room */
#define NAME_BYTES 200 /* of the target's name in the temporary one: 255 may be all */
#define TRIES 100      /* random names, before something else must be wrong */

static enum status failed(const struct output *output, int reason, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s%s", output->name, strerror(reason),
                output->replaces ? "; the file that was there before is unchanged" : "");
}

static enum status exists_already(const struct output *output, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: exists already, and --no-clobber keeps it",
                output->name);
}

/* Makes the stream for fd, which it owns from here on. */
static enum status open_stream(struct output *output, int fd, struct error *error)
{
    output->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!output->file) {
        const int reason = errno;

        if (fd >= 0)
            close(fd);
        return failed(output, reason, error);
    }
    output->buffer = malloc(STREAM_BUFFER_BYTES);
    if (output->buffer)
        setvbuf(output->file, output->buffer, _IOFBF, STREAM_BUFFER_BYTES);
    return STATUS_OK;
}

static enum status open_standard_output(struct output *output, struct error *error)
{
    output->name = "standard output";
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return failed(output, EBADF, error);
    if (isatty(STDOUT_FILENO))
        return fail(error, STATUS_USAGE,
                    "standard output is a terminal, which an image would spoil; name a file, or "
                    "send it to a file or a pipe");
    return open_stream(output, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), error);
}

/* FOLDER/.NAME.RANDOM, or NULL without memory. The caller frees it. */
static char *temporary_name(const char *target)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    const char *slash = strrchr(target, '/');
    const int folder_bytes = slash ? (int)(slash - target) + 1 : 0;
    unsigned char random[8] = {0};
    char suffix[sizeof random + 1] = "";
    char *name;

    if (getrandom(random, sizeof random, 0) < 0)
        memcpy(random, &(uint32_t){(uint32_t)getpid()}, sizeof(uint32_t));
    for (size_t i = 0; i < sizeof random; i++)
        suffix[i] = letters[random[i] % (sizeof letters - 1)];
    if (asprintf(&name, "%.*s.%.*s.%s", folder_bytes, target, NAME_BYTES, target + folder_bytes,
                 suffix) < 0)
        return NULL;
    return name;
}

/* The system's reason, or which folder it misses. */
static enum status not_created(const struct output *output, int reason, struct error *error)
{
    const char *slash = strrchr(output->target, '/');

    if (reason != ENOENT || !slash)
        return failed(output, reason, error);
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: there is no folder %.*s",
                output->name, (int)(slash - output->target), output->target);
}

/* Creates the temporary file: with the permissions of the old file, or as the umask has it. */
static enum status open_temporary(struct output *output, const struct stat *old,
                                  struct error *error)
{
    int fd = -1;

    for (int try = 0; try < TRIES && fd < 0; try++) {
        free(output->temporary);
        output->temporary = temporary_name(output->target);
        if (!output->temporary)
            return failed(output, ENOMEM, error);
        /* A stranger must not open a private file in the moment before its permissions are set. */
        fd = guard_create(output->temporary, old ? 0600 : 0666, &output->guard);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0 && old) {
        const bool owner_kept = fchown(fd, old->st_uid, old->st_gid) == 0;

        fchmod(fd, old->st_mode & (owner_kept ? 07777 : 0777));
    }
    if (fd < 0) {
        const enum status status = not_created(output, errno, error);

        free(output->temporary);
        output->temporary = NULL;
        return status;
    }
    return open_stream(output, fd, error);
}

/* path names something that exists: *about. */
static enum status open_existing(struct output *output, const char *path, const struct stat *about,
                                 struct error *error)
{
    if (S_ISDIR(about->st_mode))
        return failed(output, EISDIR, error);
    if (!S_ISREG(about->st_mode))
        return open_stream(output, open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), error);
    if (output->no_clobber)
        return exists_already(output, error);
    /* Renaming would get round the write protection of a file. */
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return failed(output, errno, error);
    output->replaces = true;
    output->target = realpath(path, NULL);
    if (!output->target)
        return failed(output, errno, error);
    return open_temporary(output, about, error);
}

static enum status open_new(struct output *output, const char *path, struct error *error)
{
    struct stat about;

    if (lstat(path, &about) == 0)
        return fail(error, STATUS_OUTPUT,
                    "%s: is a symbolic link to a file that does not exist; remove the link, or "
                    "name the file itself",
                    path);
    if (*path == '\0' || path[strlen(path) - 1] == '/')
        return failed(output, *path ? ENOTDIR : ENOENT, error);
    output->target = strdup(path);
    if (!output->target)
        return failed(output, ENOMEM, error);
    return open_temporary(output, NULL, error);
}

enum status output_open(struct output *output, const char *path, bool no_clobber,
                        struct error *error)
{
    struct stat about;
    enum status status;

    *output = (struct output){.name = path, .no_clobber = no_clobber};
    if (strcmp(path, "-") == 0)
        status = open_standard_output(output, error);
    else if (stat(path, &about) == 0)
        status = open_existing(output, path, &about, error);
    else if (errno == ENOENT)
        status = open_new(output, path, error);
    else
        status = failed(output, errno, error);
    if (status != STATUS_OK)
        output_abandon(output);
    return status;
}

/* Ends the stream. 0, or why not everything has arrived. Only where a file will be replaced must
 * the new one be on the disk first: after a crash of the machine there would be neither. A new name
 * takes nothing away from anybody, and the wait is as long as all the work. */
static int finish_stream(struct output *output)
{
    int reason = 0;

    /* fflush tries again what an earlier write could not do, and finds the reason again. */
    if (fflush(output->file) != 0)
        reason = errno;
    else if (ferror(output->file))
        reason = EIO;
    if (reason == 0 && output->replaces && fsync(fileno(output->file)) != 0)
        reason = errno;
    if (fclose(output->file) != 0 && reason == 0)
        reason = errno;
    output->file = NULL;
    return reason;
}

/* Gives the temporary file its name. 0, or why not. */
static int rename_temporary(const struct output *output)
{
    if (!output->no_clobber)
        return rename(output->temporary, output->target) == 0 ? 0 : errno;
    /* Unlike rename, link never replaces a file that has come in the meantime. */
    if (link(output->temporary, output->target) == 0) {
        unlink(output->temporary);
        return 0;
    }
    if (errno == EEXIST)
        return EEXIST;
    /* FAT, for one, has no links. */
    return renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->target, RENAME_NOREPLACE) == 0
               ? 0
               : errno;
}

static void forget(struct output *output)
{
    if (output->temporary)
        guard_release(output->guard);
    free(output->temporary);
    free(output->target);
    free(output->buffer);
    memset(output, 0, sizeof *output);
}

enum status output_commit(struct output *output, struct error *error)
{
    enum status status = STATUS_OK;
    int reason = finish_stream(output);

    if (reason == 0 && output->temporary)
        reason = rename_temporary(output);
    if (reason != 0) {
        status = output->no_clobber && reason == EEXIST ? exists_already(output, error)
                                                        : failed(output, reason, error);
        if (output->temporary)
            unlink(output->temporary);
    }
    forget(output);
    return status;
}

void output_abandon(struct output *output)
{
    if (output->file)
        fclose(output->file);
    if (output->temporary)
        unlink(output->temporary);
    forget(output);
}
