/* SPDX-License-Identifier: MIT */
/* Finds the inputs of a run: on the command line, in lists, and in folders. */
#include "src/app/batch/plan/parts.h"
#include "src/files/codec/codec.h"
#include "src/files/output/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Sets *found to whether the file is an image, by its extension or by its content. A camera raw
 * file begins like a TIFF file, but is not taken for an image. */
static enum status is_image(const char *path, bool *found, struct error *error)
{
    const struct codec *codec = NULL;
    enum status status = STATUS_OK;

    *found = format_is_named(path);
    if (*found || format_is_camera_raw(path))
        return STATUS_OK;
    status = image_reader_recognise(path, &codec, error);
    *found = codec != NULL;
    return status;
}

/* A search for inputs in one folder that the user named. */
struct walk {
    struct tasks *plan;
    const struct plan_options *options;
    /* The output folder: if it lies within the searched folder, it is left out of the search. NULL
     * if none is named, or if it does not exist. */
    const struct stat *output;
    size_t name_at; /* index in each path where the name within the output folder begins */
};

/* Marks functions with large variables that the recursion through folders calls. They are not
 * inlined, since each of up to 2000 folders within each other would take the stack for these. */
#define APART __attribute__((noinline))

/* Adds a file that was found in a folder. `info` is NULL for a broken link, which becomes a failing
 * task if its extension is that of an image. An unreadable file may be an image, so it becomes a
 * failing task too. Devices and pipes are skipped, since reading them could block for ever, and so
 * are backups and temporary files. */
APART static enum status add_found(const struct walk *walk, const char *path,
                                   const struct stat *info, struct error *error)
{
    struct error why;
    bool wanted = false;

    if (!info)
        wanted = format_is_named(path);
    else if (S_ISREG(info->st_mode) && path[strlen(path) - 1] != '~' && !temporary_is_name(path) &&
             is_image(path, &wanted, &why) != STATUS_OK)
        return tasks_add_file(walk->plan, path, walk->name_at, info, &why, error);
    if (wanted)
        return tasks_add_file(walk->plan, path, walk->name_at, info, NULL, error);
    /* A link to a folder is not entered, since it may lead to a parent folder. */
    if (info && S_ISDIR(info->st_mode))
        walk->plan->folders_left++;
    else
        walk->plan->others++;
    return STATUS_OK;
}

static enum status walk_folder(const struct walk *walk, const char *path, bool within,
                               struct error *error);

static enum status step(const struct walk *walk, const char *path, struct error *error)
{
    const struct stat *output = walk->output;
    struct stat info;

    if (lstat(path, &info) != 0)
        return tasks_add_unreachable(walk->plan, path, walk->name_at, errno, error);
    if (S_ISDIR(info.st_mode)) {
        const bool is_output =
            output && info.st_dev == output->st_dev && info.st_ino == output->st_ino;

        if (!is_output && walk->options->recursive)
            return walk_folder(walk, path, true, error);
        walk->plan->folders_left += !is_output;
        return STATUS_OK;
    }
    if (!S_ISLNK(info.st_mode) || stat(path, &info) == 0)
        return add_found(walk, path, &info, error);
    if (errno == ENOENT || errno == ELOOP)
        return add_found(walk, path, NULL, error);
    return tasks_add_unreachable(walk->plan, path, walk->name_at, errno, error);
}

static enum status step_to(const struct walk *walk, const char *folder, const char *name,
                           struct error *error)
{
    const bool slash = folder[strlen(folder) - 1] != '/';
    enum status status;
    char *path;

    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return STATUS_OK;
    if (asprintf(&path, "%s%s%s", folder, slash ? "/" : "", name) < 0)
        return plan_no_memory(error);
    status = step(walk, path, error);
    free(path);
    return status;
}

/* Compares names by bytes, so that the order is the same in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* If the folder that the user named is unreadable, the run ends. An unreadable folder within it
 * becomes a failing task. */
APART static enum status refuse_folder(const struct walk *walk, const char *path, bool within,
                                       int reason, struct error *error)
{
    struct error why;

    fail(&why, STATUS_INPUT, "%s: cannot read this folder: %s", path, strerror(reason));
    if (within)
        return tasks_add_file(walk->plan, path, walk->name_at, NULL, &why, error);
    *error = why;
    return STATUS_INPUT;
}

/* Adds the files of a folder. `within` means that this folder lies within the folder that the user
 * named. Uses scandir, since fts takes a read error for the end of the folder. */
static enum status walk_folder(const struct walk *walk, const char *path, bool within,
                               struct error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, by_name);
    enum status status = STATUS_OK;

    if (count < 0)
        return refuse_folder(walk, path, within, errno, error);
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK)
            status = step_to(walk, path, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

/* Adds the images of a folder. `listed` means that --files-from names it (see name_kept). */
static enum status add_folder(struct tasks *plan, const struct plan_options *options,
                              const char *path, bool listed, struct error *error)
{
    const bool marked = strstr(path, "/./") || (listed && strncmp(path, "./", 2) == 0);
    size_t length = strlen(path);
    struct stat output;
    struct walk walk = {.plan = plan, .options = options};

    if (options->output && stat(options->output, &output) == 0)
        walk.output = &output;
    else if (options->output && errno != ENOENT && errno != ENOTDIR)
        return fail(error, STATUS_OUTPUT, "%s: cannot be opened: %s", options->output,
                    strerror(errno));
    while (length > 1 && path[length - 1] == '/')
        length--;
    walk.name_at = marked ? name_kept(path, listed) : length + (path[length - 1] != '/');
    return walk_folder(&walk, path, false, error);
}

/* Adds a file or folder that the user named. A missing file becomes a task that fails. */
static enum status add_named(struct tasks *plan, const struct plan_options *options,
                             const char *path, bool listed, struct error *error)
{
    struct stat info;
    const bool there = stat(path, &info) == 0;

    if (there && S_ISDIR(info.st_mode))
        return add_folder(plan, options, path, listed, error);
    if (there && options->in_place && !S_ISREG(info.st_mode))
        return fail(error, STATUS_USAGE, "%s: not a regular file; --in-place cannot replace it",
                    path);
    if (!there && errno != ENOENT)
        return tasks_add_unreachable(plan, path, name_kept(path, listed), errno, error);
    return tasks_add_file(plan, path, name_kept(path, listed), there ? &info : NULL, NULL, error);
}

/* Adds the names in a list. Names end in '\0' or, if the list has no '\0', in a newline: the first
 * getdelim then returns the whole list. */
static enum status add_list(struct tasks *plan, const struct plan_options *options, FILE *file,
                            struct error *error)
{
    enum status status = STATUS_OK;
    bool first = true;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;

    while (status == STATUS_OK && (length = getdelim(&text, &room, '\0', file)) >= 0) {
        const char *end = first && strlen(text) == (size_t)length ? "\n" : "";

        for (char *rest = text, *name; status == STATUS_OK && (name = strsep(&rest, end));)
            if (*name)
                status =
                    add_named(plan, options, strcmp(name, "-") == 0 ? "./-" : name, true, error);
        first = false;
    }
    free(text);
    return status;
}

static enum status add_files_from(struct tasks *plan, const struct plan_options *options,
                                  struct error *error)
{
    const bool standard = strcmp(options->files_from, "-") == 0;
    const char *name = standard ? "standard input" : options->files_from;
    FILE *file = standard ? stdin : fopen(name, "rbe");
    enum status status = STATUS_OK;

    if (file)
        status = add_list(plan, options, file, error);
    /* getdelim also stops before the end of the file if there is no memory for a name. */
    if (status == STATUS_OK && (!file || ferror(file) || !feof(file)))
        status = fail(error, STATUS_INPUT, "%s: this list of files cannot be read: %s", name,
                      error_reason(errno));
    if (file && !standard)
        fclose(file);
    return status;
}

enum status tasks_add_inputs(struct tasks *plan, const struct plan_options *options,
                             struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < options->input_count && status == STATUS_OK; i++)
        status = add_named(plan, options, options->inputs[i], false, error);
    if (status == STATUS_OK && options->files_from)
        status = add_files_from(plan, options, error);
    return status;
}
