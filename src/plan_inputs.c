/* SPDX-License-Identifier: MIT */
/* Which files a run will read: those of the command line, of lists, and of folders. */
#include "codec.h"
#include "output_temporary.h"
#include "plan.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status no_memory(struct error *error)
{
    return fail(error, STATUS_INPUT, "no memory for the names of files");
}

/* By bytes, whatever the locale: the same order everywhere. */
static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* A task for path, whose file is *about (NULL: unknown). */
static enum status add_task(struct plan *plan, const char *path, size_t name_at,
                            const struct stat *about, const char *problem, struct error *error)
{
    struct task *task;

    while (path[name_at] == '/')
        name_at++;
    task = plan_add(plan, strdup(path), name_at);
    if (task && problem)
        task->problem = strdup(problem);
    if (!task || (problem && !task->problem))
        return no_memory(error);
    if (about) {
        task->bytes = about->st_size;
        task->device = about->st_dev;
        task->inode = about->st_ino;
    }
    return STATUS_OK;
}

/* A file of a folder: an image has an image's extension or content. A link to nothing with such a
 * name fails when it is opened; what is neither file nor folder could keep us waiting for ever. */
static enum status add_found(struct plan *plan, const char *path, size_t name_at,
                             struct error *error)
{
    struct stat about;
    const bool there = stat(path, &about) == 0;

    if (there && S_ISDIR(about.st_mode))
        return STATUS_OK; /* a link to a folder is not entered: it may lead back */
    if (there ? S_ISREG(about.st_mode) && !temporary_is_name(path) &&
                    (format_is_named(path) || source_recognises(path))
              : format_is_named(path))
        return add_task(plan, path, name_at, there ? &about : NULL, NULL, error);
    plan->others++;
    return STATUS_OK;
}

/* One step of the walk through a folder. */
struct walk {
    struct plan *plan;
    const struct options *options;
    const struct stat *output; /* the output folder: not entered. NULL if there is none yet */
    FTS *tree;
    size_t name_at; /* in every path */
};

static enum status enter(const struct walk *walk, FTSENT *entry)
{
    const struct stat *about = entry->fts_statp, *output = walk->output;
    const bool is_output =
        output && about->st_dev == output->st_dev && about->st_ino == output->st_ino;

    if (entry->fts_level > 0 && (!walk->options->recursive || is_output))
        fts_set(walk->tree, entry, FTS_SKIP);
    return STATUS_OK;
}

static enum status step(const struct walk *walk, FTSENT *entry, struct error *error)
{
    struct error why;

    switch (entry->fts_info) {
    case FTS_D:
        return enter(walk, entry);
    case FTS_DP:
        return STATUS_OK;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_DC:
        fail(&why, STATUS_INPUT, "%s: cannot read this folder: %s", entry->fts_path,
             strerror(entry->fts_info == FTS_DC ? ELOOP : entry->fts_errno));
        if (entry->fts_level > 0)
            return add_task(walk->plan, entry->fts_path, walk->name_at, NULL, why.text, error);
        *error = why;
        return STATUS_INPUT;
    default:
        return add_found(walk->plan, entry->fts_path, walk->name_at, error);
    }
}

static enum status add_folder(struct plan *plan, const struct options *options, const char *path,
                              bool listed, struct error *error)
{
    char *const roots[] = {(char *)(uintptr_t)path, NULL};
    const bool marked = strstr(path, "/./") || (listed && strncmp(path, "./", 2) == 0);
    size_t length = strlen(path);
    struct stat output;
    struct walk walk = {
        .plan = plan,
        .options = options,
        .output = stat(options->output, &output) == 0 ? &output : NULL,
        .tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name),
    };
    enum status status = STATUS_OK;
    FTSENT *entry;

    if (!walk.tree)
        return fail(error, STATUS_INPUT, "%s: cannot read this folder: %s", path, strerror(errno));
    while (length > 1 && path[length - 1] == '/')
        length--;
    walk.name_at = marked ? name_kept(path, listed) : length + (path[length - 1] != '/');
    while (status == STATUS_OK && (entry = fts_read(walk.tree)))
        status = step(&walk, entry, error);
    if (status == STATUS_OK && errno != 0)
        status =
            fail(error, STATUS_INPUT, "%s: cannot read this folder: %s", path, strerror(errno));
    fts_close(walk.tree);
    return status;
}

/* A file or a folder that was named. What is not there fails when its turn comes. */
static enum status add_named(struct plan *plan, const struct options *options, const char *path,
                             bool listed, struct error *error)
{
    struct stat about;
    const bool there = stat(path, &about) == 0;

    if (strcmp(path, "-") == 0)
        return fail(error, STATUS_USAGE,
                    "-: standard input has no name to use in %s; name files, or their list with "
                    "--files-from -",
                    options->output);
    if (there && S_ISDIR(about.st_mode))
        return add_folder(plan, options, path, listed, error);
    return add_task(plan, path, name_kept(path, listed), there ? &about : NULL, NULL, error);
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
    if (status == STATUS_OK && (!file || ferror(file)))
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
