/* SPDX-License-Identifier: MIT */
#include "src/files/output/output.h"
#include "src/files/output/attributes.h"
#include "src/files/output/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates a file without a name (O_TMPFILE) in the folder of `target`: nothing is left of it if the
 * program dies. Returns its descriptor, which the caller closes; -1 if the file system has no such
 * files, /proc is missing, or the folder is write-protected. */
static int create_unnamed(const char *target, mode_t mode)
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

/* Gives an unnamed file, open as fd, the name `path`, which must be in the folder where it was
 * created. Until the file has a name, the link in /proc/self/fd refers to it. Returns false and
 * sets errno on failure: to EEXIST if the name exists. */
static bool link_unnamed(int fd, const char *path)
{
    char link[32];

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* Renames the file, open as fd, to the target. An unnamed file first gets a temporary name:
 * linkat(), which names it, cannot replace an existing file, but rename() can. Returns 0 or an
 * errno. */
static int replace(struct output *output, int fd)
{
    int reason = 0;

    signals_hold();
    if (!output->temporary) {
        char *path = temporary_name(output->target);

        if (path && link_unnamed(fd, path)) {
            output->temporary = path;
        } else {
            reason = errno;
            free(path);
        }
    }
    if (reason == 0 && !temporary_rename(output->temporary, output->target, output->no_clobber))
        reason = errno;
    if (reason != 0 && output->temporary)
        unlink(output->temporary);
    signals_guard(&output->guarded, NULL);
    signals_release();
    return reason;
}

/* Names the output's complete file, which is still open as fd. Returns 0 or an errno; after a
 * failure the old file is unchanged. */
static int give_name(struct output *output, int fd)
{
    if (!output->temporary && !output->replaces) {
        const int reason = link_unnamed(fd, output->target) ? 0 : errno;

        if (reason != EEXIST || output->no_clobber)
            return reason;
    }
    return replace(output, fd);
}

#define STREAM_BUFFER_BYTES (1 << 18) /* needs few system calls, and fits the L2 cache */

static enum status failed(const struct output *output, int reason, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s%s", output->name,
                error_reason(reason),
                output->replaces ? "; the file that was there before is unchanged" : "");
}

static enum status exists_already(const struct output *output, struct error *error)
{
    return fail(error, STATUS_OUTPUT, "%s: exists already, and --no-clobber keeps it",
                output->name);
}

/* Opens a stream for fd, which the stream then owns. */
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

const char *output_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

static enum status open_standard_output(struct output *output, struct error *error)
{
    if ((fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return failed(output, EBADF, error);
    if (isatty(STDOUT_FILENO))
        return fail(error, STATUS_USAGE,
                    "not writing an image to a terminal; redirect it or name a file");
    return open_stream(output, fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), error);
}

enum status output_check_folder(const char *path, struct error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
    const bool missing = folder && access(folder, F_OK) != 0 && errno == ENOENT;

    free(folder);
    while (slash && slash - path > 1 && slash[-1] == '/')
        slash--;
    return missing ? fail(error, STATUS_OUTPUT, "%.*s: no such folder; make it with mkdir -p",
                          (int)(slash - path), path)
                   : STATUS_OK;
}

/* For a file that could not be created: sets *error to the system's reason, or to a message that
 * names the missing folder. */
static enum status not_created(const struct output *output, int reason, struct error *error)
{
    return output_check_folder(output->target, error) == STATUS_OK ? failed(output, reason, error)
                                                                   : STATUS_OUTPUT;
}

/* Creates a file with a temporary name. If a signal ends the program, the file is removed. Returns
 * the file's descriptor, or -1 with errno. */
static int create_temporary(struct output *output, mode_t mode)
{
    char *path;
    int fd;

    signals_hold();
    path = temporary_name(output->target);
    fd = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
    if (fd >= 0) {
        output->temporary = path;
        signals_guard(&output->guarded, path);
    } else {
        const int reason = errno;

        free(path);
        errno = reason;
    }
    signals_release();
    return fd;
}

/* Returns 0 or an errno. Some file systems set no permissions, but give all files the same. */
static int set_mode(int fd, mode_t mode)
{
    struct stat info;
    const int reason = fchmod(fd, mode) == 0 ? 0 : errno;

    return reason != 0 && fstat(fd, &info) == 0 && (info.st_mode & 07777) == mode ? 0 : reason;
}

/* Gives the new file, open as fd, the permissions, the ACL and the attributes of the old file, and
 * the old file's owner and group, each if the system allows that. */
static enum status keep_rights(const struct output *output, int fd, const struct stat *old,
                               struct error *error)
{
    const bool owner_kept = fchown(fd, old->st_uid, old->st_gid) == 0;
    const bool group_kept = owner_kept || fchown(fd, (uid_t)-1, old->st_gid) == 0;
    int reason = attributes_keep(output->target, fd);

    (void)group_kept; /* a user can give a file to the groups that the user is in */
    if (reason == 0)
        reason = set_mode(fd, old->st_mode & (owner_kept ? 07777 : 0777));
    if (reason == 0)
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT,
                "%s: the permissions, the ACL or the attributes of this file cannot be given to "
                "the one that would replace it: %s; it is unchanged; write to a new file",
                output->name, strerror(reason));
}

/* Creates the file that becomes `path`, with the permissions of the old file. If there is no old
 * file, the umask decides. */
static enum status create(struct output *output, const char *path, const struct stat *old,
                          struct error *error)
{
    /* Nobody else may open a private file before its permissions are set. */
    const mode_t mode = old ? 0600 : 0666;
    int fd;

    output->target = old ? realpath(path, NULL) : strdup(path);
    if (!output->target)
        return failed(output, errno, error);
    if (!old && (*path == '\0' || path[strlen(path) - 1] == '/'))
        return not_created(output, ENOENT, error);
    fd = create_unnamed(output->target, mode);
    if (fd < 0)
        fd = create_temporary(output, mode);
    if (fd < 0)
        return not_created(output, errno, error);
    if (old && keep_rights(output, fd, old, error) != STATUS_OK) {
        close(fd);
        return STATUS_OUTPUT;
    }
    return open_stream(output, fd, error);
}

/* Opens a path that exists, with the status *info. */
static enum status open_existing(struct output *output, const char *path, const struct stat *info,
                                 struct error *error)
{
    if (S_ISDIR(info->st_mode))
        return failed(output, EISDIR, error);
    if (!S_ISREG(info->st_mode))
        return open_stream(output, open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), error);
    if (output->no_clobber)
        return exists_already(output, error);
    /* Checks the permission to write, since a rename would replace even a write-protected file. */
    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return failed(output, errno, error);
    output->replaces = true;
    return create(output, path, info, error);
}

bool output_is_file(const char *path)
{
    struct stat info;

    return strcmp(path, "-") != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

enum status output_open(struct output *output, const char *path, bool no_clobber,
                        struct error *error)
{
    struct stat info;
    enum status status;
    bool exists = lstat(path, &info) == 0;
    const bool is_link = exists && S_ISLNK(info.st_mode);

    if (is_link)
        exists = stat(path, &info) == 0;
    *output = (struct output){.name = output_name(path), .no_clobber = no_clobber};
    if (strcmp(path, "-") == 0)
        status = open_standard_output(output, error);
    else if (exists)
        status = open_existing(output, path, &info, error);
    else if (errno == ENOENT && is_link)
        status = fail(error, STATUS_OUTPUT,
                      "%s: is a symbolic link to a file that does not exist; remove the link, or "
                      "name the file itself",
                      path);
    else if (errno == ENOENT)
        status = create(output, path, NULL, error);
    else
        status = failed(output, errno, error);
    if (status != STATUS_OK)
        output_abandon(output);
    return status;
}

void output_take_times(struct output *output, FILE *input)
{
    struct stat info;

    output->has_times = fstat(fileno(input), &info) == 0 && S_ISREG(info.st_mode);
    if (output->has_times) {
        output->times[0] = info.st_atim;
        output->times[1] = info.st_mtim;
    }
}

/* Closes the stream. Returns 0 or an errno. Syncs a file that replaces another, because otherwise a
 * crash of the machine could lose both the old and the new file. If there was no old file, there is
 * no sync: it would take as long as all other work. */
static int finish_stream(struct output *output)
{
    int reason = 0;

    /* After a failed write, fflush tries to write again, and sets errno to the same reason. */
    if (fflush(output->file) != 0)
        reason = errno;
    else if (ferror(output->file))
        reason = EIO;
    if (reason == 0 && output->replaces && fsync(fileno(output->file)) != 0)
        reason = errno;
    if (reason == 0 && output->has_times && output->target &&
        futimens(fileno(output->file), output->times) != 0)
        reason = errno;
    if (fclose(output->file) != 0 && reason == 0)
        reason = errno;
    output->file = NULL;
    return reason;
}

/* Closes the stream, then names the file, since the file is complete only when the stream is
 * closed. A second descriptor keeps the file open until it is named, since an unnamed file would
 * vanish. */
enum status output_commit(struct output *output, struct error *error)
{
    const int fd = fcntl(fileno(output->file), F_DUPFD_CLOEXEC, 0);
    int reason = fd < 0 ? errno : finish_stream(output);
    struct stat info;
    const bool sized = reason == 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const int64_t bytes = sized ? info.st_size : -1;
    enum status status = STATUS_OK;

    if (reason == 0 && output->target)
        reason = give_name(output, fd);
    if (reason != 0)
        status = output->no_clobber && reason == EEXIST ? exists_already(output, error)
                                                        : failed(output, reason, error);
    output_abandon(output);
    if (fd >= 0)
        close(fd);
    output->bytes = bytes;
    return status;
}

void output_abandon(struct output *output)
{
    /* After its rename or removal the temporary name is no longer guarded (signals.h). */
    if (output->guarded.path) {
        signals_hold();
        unlink(output->temporary);
        signals_guard(&output->guarded, NULL);
        signals_release();
    }
    if (output->file)
        fclose(output->file);
    free(output->temporary);
    free(output->target);
    free(output->buffer);
    memset(output, 0, sizeof *output);
}
