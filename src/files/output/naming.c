/* SPDX-License-Identifier: MIT */
#include "src/files/output/naming.h"
#include "src/files/output/temporary.h"
#include "src/files/output/unnamed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Gives the old file the name of its backup too, or only that one where a file has one name.
 * Returns 0 or an errno. */
static int make_backup(const struct output *output)
{
    char *path;
    int reason = 0;

    if (asprintf(&path, "%s%s", output->target, output->backup) < 0)
        return ENOMEM;
    if (unlink(path) != 0 && errno != ENOENT)
        reason = errno;
    else if (link(output->target, path) != 0 && rename(output->target, path) != 0)
        reason = errno;
    free(path);
    return reason == ENOENT ? 0 : reason; /* somebody has removed the old file: nothing to keep */
}

/* Ends the guarded change of names: 0 or an errno says how it went, and is returned. A signal
 * handler sees the new name and output->named together, or neither. */
static int leave_guard(struct output *output, int reason)
{
    if (reason == 0 && output->named)
        *output->named = true;
    signal_guard_leave(&output->guard, NULL);
    return reason;
}

/* Gives an unnamed file its name, which must be free. Returns 0 or an errno. */
static int name_new(struct output *output, int fd)
{
    if (!signal_guard_enter(&output->guard))
        return errno;
    return leave_guard(output, unnamed_link(fd, output->target) ? 0 : errno);
}

/* Renames the file, open as fd, to the target. An unnamed one needs a temporary name first: only a
 * name can replace a name. Returns 0 or an errno. */
static int replace(struct output *output, int fd)
{
    int reason = 0;

    if (!signal_guard_enter(&output->guard))
        return errno;
    if (!output->temporary)
        output->temporary = temporary_link(output->target, fd);
    if (!output->temporary)
        reason = errno;
    else if (output->backup && output->replaces)
        reason = make_backup(output);
    if (reason == 0 && !temporary_rename(output->temporary, output->target, output->no_clobber))
        reason = errno;
    if (reason != 0 && output->temporary)
        unlink(output->temporary);
    return leave_guard(output, reason);
}

int output_give_name(struct output *output, int fd)
{
    if (!output->temporary && !output->replaces) {
        const int reason = name_new(output, fd);

        if (reason != EEXIST || output->no_clobber)
            return reason;
    }
    return replace(output, fd);
}
