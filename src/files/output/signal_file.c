/* SPDX-License-Identifier: MIT */
#include "src/files/output/signal_file.h"

#include "src/files/output/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum status signal_file_prepare(struct signal_file *file, const struct output *output,
                                struct error *error)
{
    const int fd = fileno(output->file);
    bool good = fstat(fd, &file->info) == 0;

    file->replaces = output->replaces;
    if (output->target) {
        file->target = strdup(output->target);
        file->temporary = temporary_for_signal(output->target);
        good = good && file->target && file->temporary;
    } else {
        file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        good = good && file->fd >= 0;
    }
    file->prepared = good;
    if (good)
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot be written: %s", output->name, strerror(errno));
}

void signal_file_free(struct signal_file *file)
{
    if (file->prepared && !file->target)
        close(file->fd);
    file->prepared = false;
    free(file->target);
    free(file->temporary);
    file->target = file->temporary = NULL;
}

bool signal_file_open(struct signal_file *file)
{
    bool owner_kept;

    file->whole = true;
    file->used = 0;
    if (!file->prepared || !file->target)
        return file->prepared;
    unlink(file->temporary); /* of a run that was killed in its handler */
    file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file->fd < 0)
        return false;
    /* As in output_open. Only root may give a file away: another's file becomes the user's. */
    owner_kept = fchown(file->fd, file->info.st_uid, file->info.st_gid) == 0;
    fchmod(file->fd, file->info.st_mode & (owner_kept ? 07777 : 0777));
    return true;
}

static void flush(struct signal_file *file)
{
    const char *at = file->buffer;

    while (file->used > 0 && file->whole) {
        const ssize_t written = write(file->fd, at, file->used);

        file->whole = written > 0 || (written < 0 && errno == EINTR);
        at += written > 0 ? written : 0;
        file->used -= written > 0 ? (size_t)written : 0;
    }
    file->used = 0;
}

void signal_file_put(void *context, const char *bytes, size_t count)
{
    struct signal_file *file = context;

    for (size_t i = 0; i < count; i++) {
        file->buffer[file->used++] = bytes[i];
        if (file->used == SIGNAL_FILE_BYTES)
            flush(file);
    }
}

bool signal_file_commit(struct signal_file *file)
{
    flush(file);
    if (!file->target)
        return file->whole;
    /* As in output_commit: a crash of the machine must not lose the old file and the new one. */
    if (file->replaces && file->whole)
        file->whole = fsync(file->fd) == 0;
    if (close(file->fd) != 0)
        file->whole = false;
    if (file->whole && rename(file->temporary, file->target) == 0)
        return true;
    unlink(file->temporary);
    return false;
}
