/* SPDX-License-Identifier: MIT */
/* The inputs of a run: from the command line, from lists, and from folders. */
#include "src/app/batch/plan/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum status refuse_stream(const struct plan_options *options, struct error *error)
{
    if (options->in_place)
        return fail(error, STATUS_USAGE,
                    "-: --in-place cannot replace standard input; name files, or "
                    "their list with --files-from -");
    return fail(error, STATUS_USAGE,
                "-: standard input has no name to use in %s; name files, or their list with "
                "--files-from -",
                options->output);
}

/* A named file or folder. A missing file becomes a task, which fails. */
static enum status add_named(struct plan *plan, const struct plan_options *options,
                             const char *path, bool listed, struct error *error)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;

    if (strcmp(path, "-") == 0)
        return refuse_stream(options, error);
    if (there && S_ISDIR(info.st_mode))
        return plan_add_folder(plan, options, path, listed, error);
    if (there && options->in_place && !S_ISREG(info.st_mode))
        return fail(error, STATUS_USAGE, "%s: not a regular file; --in-place cannot replace it",
                    path);
    if (!there && errno != ENOENT)
        return plan_add_unreachable(plan, path, name_kept(path, listed), errno, error);
    return plan_add_file(plan, path, name_kept(path, listed), there ? &info : NULL, NULL, error);
}

static enum status add_listed(struct plan *plan, const struct plan_options *options,
                              const char *name, struct error *error)
{
    if (*name == '\0')
        return STATUS_OK;
    return add_named(plan, options, strcmp(name, "-") == 0 ? "./-" : name, true, error);
}

/* Names end in '\0' or, if the list has no '\0', in a newline: getdelim then returns the whole list
 * at once. */
static enum status add_list(struct plan *plan, const struct plan_options *options, FILE *file,
                            struct error *error)
{
    enum status status = STATUS_OK;
    bool first = true;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;

    while (status == STATUS_OK && (length = getdelim(&text, &room, '\0', file)) >= 0) {
        if (first && strlen(text) == (size_t)length) {
            for (char *rest = text, *name; status == STATUS_OK && (name = strsep(&rest, "\n"));)
                status = add_listed(plan, options, name, error);
        } else {
            status = add_listed(plan, options, text, error);
        }
        first = false;
    }
    free(text);
    return status;
}

static enum status add_files_from(struct plan *plan, const struct plan_options *options,
                                  struct error *error)
{
    const bool standard = strcmp(options->files_from, "-") == 0;
    const char *name = standard ? "standard input" : options->files_from;
    FILE *file = standard ? stdin : fopen(name, "rbe");
    enum status status = STATUS_OK;

    if (file)
        status = add_list(plan, options, file, error);
    /* getdelim also ends without memory for a name, before the end of the file. */
    if (status == STATUS_OK && (!file || ferror(file) || !feof(file)))
        status = fail(error, STATUS_INPUT, "%s: this list of files cannot be read: %s", name,
                      strerror(errno));
    if (file && !standard)
        fclose(file);
    return status;
}

enum status plan_add_inputs(struct plan *plan, const struct plan_options *options,
                            struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->input_count && status == STATUS_OK; i++)
        status = add_named(plan, options, options->inputs[i], false, error);
    if (status == STATUS_OK && options->files_from)
        status = add_files_from(plan, options, error);
    return status;
}
