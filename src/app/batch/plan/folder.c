/* SPDX-License-Identifier: MIT */
/* The images of a folder. */
#include "codec.h"
#include "output_temporary.h"
#include "plan.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* An image has an image's extension, or its content. */
static enum status is_image(const char *path, bool *found, struct error *error)
{
    *found = format_is_named(path);
    return *found ? STATUS_OK : source_recognise(path, found, error);
}

/* A file of a folder, *about, or NULL: a link to nothing, which fails when it is opened if it is
 * named like an image. What is neither file nor folder could keep us waiting for ever. What cannot
 * be looked at may be an image: it fails, since nobody would miss it otherwise. */
static enum status add_found(struct plan *plan, const char *path, size_t name_at,
                             const struct stat *about, struct error *error)
{
    struct error why;
    bool wanted = false;

    if (about && S_ISDIR(about->st_mode))
        return STATUS_OK; /* a link to a folder is not entered: it may lead back */
    if (!about)
        wanted = format_is_named(path);
    else if (S_ISREG(about->st_mode) && !temporary_is_name(path) &&
             is_image(path, &wanted, &why) != STATUS_OK)
        return plan_add_file(plan, path, name_at, about, why.text, error);
    if (wanted)
        return plan_add_file(plan, path, name_at, about, NULL, error);
    plan->others++;
    return STATUS_OK;
}

/* A walk through a folder. */
struct walk {
    struct plan *plan;
    const struct options *options;
    const struct stat *output; /* the output folder: not entered. NULL if there is none yet */
    size_t name_at;            /* in every path */
};

static enum status walk_folder(const struct walk *walk, const char *path, bool within,
                               struct error *error);

/* Something in a folder. */
static enum status step(const struct walk *walk, const char *path, struct error *error)
{
    const struct stat *output = walk->output;
    struct stat about;

    if (lstat(path, &about) != 0)
        return plan_add_unreachable(walk->plan, path, walk->name_at, errno, error);
    if (S_ISDIR(about.st_mode)) {
        const bool is_output =
            output && about.st_dev == output->st_dev && about.st_ino == output->st_ino;

        return walk->options->recursive && !is_output ? walk_folder(walk, path, true, error)
                                                      : STATUS_OK;
    }
    if (stat(path, &about) == 0)
        return add_found(walk->plan, path, walk->name_at, &about, error);
    if (errno == ENOENT || errno == ELOOP)
        return add_found(walk->plan, path, walk->name_at, NULL, error);
    return plan_add_unreachable(walk->plan, path, walk->name_at, errno, error);
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

/* By bytes, whatever the locale: the same order everywhere. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* All that is in a folder; a folder within another one that cannot be read fails like a file. (fts
 * takes a folder that cannot be read to its end for one that ends there.) */
static enum status walk_folder(const struct walk *walk, const char *path, bool within,
                               struct error *error)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, NULL, by_name);
    enum status status = STATUS_OK;
    struct error why;

    if (count < 0) {
        fail(&why, STATUS_INPUT, "%s: cannot read this folder: %s", path, strerror(errno));
        if (within)
            return plan_add_file(walk->plan, path, walk->name_at, NULL, why.text, error);
        *error = why;
        return STATUS_INPUT;
    }
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK)
            status = step_to(walk, path, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum status plan_add_folder(struct plan *plan, const struct options *options, const char *path,
                            bool listed, struct error *error)
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
