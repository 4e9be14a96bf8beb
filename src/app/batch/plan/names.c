/* SPDX-License-Identifier: MIT */
/* Names of outputs. */
#include "src/app/batch/plan/parts.h"
#include "src/files/codec/codec.h"

#include <stdlib.h>
#include <string.h>

size_t name_kept(const char *path, bool listed)
{
    const char *kept = listed && strncmp(path, "./", 2) == 0 ? path + 2 : NULL;
    const char *slash = strrchr(path, '/');

    for (const char *mark = strstr(path, "/./"); mark; mark = strstr(mark + 1, "/./"))
        kept = mark + 3;
    if (!kept)
        return slash ? (size_t)(slash + 1 - path) : 0;
    while (*kept == '/')
        kept++;
    return (size_t)(kept - path);
}

/* Does it contain ".."? */
static bool climbs(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

/* Removes "//" and "/./", so that one file has one name. */
static void tidy(char *path)
{
    char *to = path;

    for (const char *from = path; *from; from++) {
        while (from[0] == '/' && (from[1] == '/' || (from[1] == '.' && from[2] == '/')))
            from += from[1] == '/' ? 1 : 2;
        *to++ = *from;
    }
    *to = '\0';
}

bool name_is_backup(const char *path, const char *suffix)
{
    const size_t length = strlen(path), ending = suffix ? strlen(suffix) : 0;

    return ending > 0 && length > ending && strcmp(path + length - ending, suffix) == 0;
}

enum status name_check_backup(const struct task *task, const struct plan_options *options,
                              struct error *error)
{
    const char *name = name_is_backup(task->input, options->backup)    ? task->input
                       : name_is_backup(task->output, options->backup) ? task->output
                                                                       : NULL;

    if (!name)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: ends in %s, so --backup could replace it; leave it out, or name another "
                "suffix: --backup=SUFFIX",
                name, options->backup);
}

static enum status name_itself(struct task *task, struct error *error)
{
    task->same_format = true;
    task->output = strdup(task->input);
    return task->output ? STATUS_OK : plan_no_memory(error);
}

/* The folder of outputs, or NULL: next to the input. */
static enum status check_climbs(const struct task *task, const char *folder, struct error *error)
{
    if (!folder || !climbs(task->name))
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: this name leads out of the output folder; put /./ before the part of it that "
                "the output folder is to keep",
                task->input);
}

enum status name_output(struct task *task, const struct plan_options *options, struct error *error)
{
    const char *folder = options->output, *name = folder ? task->name : task->input;
    const char *extension = format_extension(name), *end = strchr(name, '\0');
    const bool known = format_is_named(name);
    const char *dot = extension && (known || !options->format) ? extension - 1 : end;
    int written;

    if (options->in_place)
        return name_itself(task, error);
    if (check_climbs(task, folder, error) != STATUS_OK)
        return error->status;
    task->same_format = !known && !options->format;
    written = asprintf(&task->output, "%s%s%.*s%s%s%s", folder ? folder : "", folder ? "/" : "",
                       (int)(dot - name), name, options->suffix ? options->suffix : "",
                       options->format ? "." : "", options->format ? options->format : dot);
    if (written < 0) {
        task->output = NULL;
        return plan_no_memory(error);
    }
    tidy(task->output);
    return STATUS_OK;
}
