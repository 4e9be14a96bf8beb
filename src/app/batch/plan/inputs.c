/* SPDX-License-Identifier: MIT */
/* Which files a run will read: those of the command line, of lists, and of folders. */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum status plan_no_memory(struct error *error)
{
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

enum status plan_add_file(struct plan *plan, const char *path, size_t name_at,
                          const struct stat *about, const char *problem, struct error *error)
{
    struct task *task;

    while (path[name_at] == '/')
        name_at++;
    task = plan_add(plan, strdup(path), name_at);
    if (task && problem)
        task->problem = strdup(problem);
    if (!task || (problem && !task->problem))
        return plan_no_memory(error);
    if (about) {
        task->bytes = about->st_size;
        task->device = about->st_dev;
        task->inode = about->st_ino;
    }
    return STATUS_OK;
}

enum status plan_add_unreachable(struct plan *plan, const char *path, size_t name_at, int reason,
                                 struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    return plan_add_file(plan, path, name_at, NULL, why.text, error);
}

/* What can be taken from a file or a folder alone, by its name. */
static enum status refuse_stream(const struct options *options, struct error *error)
{
    if (options->in_place)
        return fail(error, STATUS_USAGE,
                    "-: standard input is no file that --in-place could replace; name files, or "
                    "their list with --files-from -");
    return fail(error, STATUS_USAGE,
                "-: standard input has no name to use in %s; name files, or their list with "
                "--files-from -",
                options->output);
}

/* A file or a folder that was named. What is not there fails when its turn comes. */
static enum status add_named(struct plan *plan, const struct options *options, const char *path,
                             bool listed, struct error *error)
{
    struct stat about;
    const bool there = stat(path, &about) == 0;

    if (strcmp(path, "-") == 0)
        return refuse_stream(options, error);
    if (there && S_ISDIR(about.st_mode))
        return plan_add_folder(plan, options, path, listed, error);
    if (there && options->in_place && !S_ISREG(about.st_mode))
        return fail(error, STATUS_USAGE, "%s: this is no file that --in-place could replace", path);
    if (!there && errno != ENOENT)
        return plan_add_unreachable(plan, path, name_kept(path, listed), errno, error);
    return plan_add_file(plan, path, name_kept(path, listed), there ? &about : NULL, NULL, error);
}

static enum status add_listed(struct plan *plan, const struct options *options, const char *name,
                              struct error *error)
{
    if (*name == '\0')
        return STATUS_OK;
    return add_named(plan, options, strcmp(name, "-") == 0 ? "./-" : name, true, error);
}

/* Names end with '\0', which none can have in it; or, in a list without any, with the line. */
static enum status add_list(struct plan *plan, const struct options *options, FILE *file,
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

static enum status add_files_from(struct plan *plan, const struct options *options,
                                  struct error *error)
{
    const bool standard = strcmp(options->files_from, "-") == 0;
    const char *name = standard ? "standard input" : options->files_from;
    FILE *file = standard ? stdin : fopen(name, "rbe");
    enum status status = STATUS_OK;

    if (file)
        status = add_list(plan, options, file, error);
    /* Where there is no memory for a name getdelim ends as well, and is not at the end. */
    if (status == STATUS_OK && (!file || ferror(file) || !feof(file)))
        status = fail(error, STATUS_INPUT, "%s: this list of files cannot be read: %s", name,
                      strerror(errno));
    if (file && !standard)
        fclose(file);
    return status;
}

enum status plan_add_inputs(struct plan *plan, const struct options *options, struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->input_count && status == STATUS_OK; i++)
        status = add_named(plan, options, options->inputs[i], false, error);
    if (status == STATUS_OK && options->files_from)
        status = add_files_from(plan, options, error);
    return status;
}
