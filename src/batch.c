/* SPDX-License-Identifier: MIT */
#include "batch.h"
#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By bytes, whatever the locale: the same order everywhere. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* "folder/name", for the caller to free. */
static char *joined(const char *folder, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* What an entry of the folder is to us. */
enum kind {
    KIND_FOLDER, /* not entered */
    KIND_FILE,
    KIND_MISSING, /* a link to nothing */
    KIND_OTHER    /* a pipe or a device: opening it could wait for ever */
};

static enum kind kind_of(const char *path)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return KIND_MISSING;
    return S_ISDIR(about.st_mode) ? KIND_FOLDER : S_ISREG(about.st_mode) ? KIND_FILE : KIND_OTHER;
}

static bool has_image_extension(const char *path)
{
    const char *extension = format_extension(path);
    enum format unused;

    return extension && format_of_extension(extension, NULL, &unused);
}

/* A file that fails is counted, and no failure here, but for one that all others would share. */
static enum status do_image(const struct pipeline *pipeline, const char *input, const char *output,
                            bool same_format, batch_listener *listener, void *context,
                            struct batch_summary *summary, struct error *error)
{
    struct report report;
    const enum status status = pipeline_file(pipeline, input, output, same_format, &report, error);

    if (status == STATUS_DEVICE && chooser_is_lost(pipeline->chooser))
        return status;
    summary->done += status == STATUS_OK;
    summary->failed += status != STATUS_OK;
    listener(context, input, output, status, &report, error);
    return STATUS_OK;
}

/* How much there is to do, by the names: images that are called otherwise come on top. */
static void begin_progress(const struct pipeline *pipeline, const char *input,
                           struct dirent *const *entries, int count)
{
    int64_t files = 0, bytes = 0;
    struct stat about;

    for (int i = 0; i < count; i++) {
        char *path = joined(input, entries[i]->d_name);

        if (path && has_image_extension(path) && stat(path, &about) == 0 &&
            S_ISREG(about.st_mode)) {
            files++;
            bytes += about.st_size;
        }
        free(path);
    }
    progress_open(cli_progress(pipeline->options, true), files, bytes, stderr);
}

/* One entry of the folder. Its paths are freed here. */
static enum status do_entry(const struct pipeline *pipeline, char *input, char *output,
                            batch_listener *listener, void *context, struct batch_summary *summary,
                            struct error *error)
{
    enum status status = STATUS_OK;

    if (!input || !output) {
        status = fail(error, STATUS_INPUT, "no memory for the names of files");
    } else {
        const enum kind kind = kind_of(input);
        const bool named = kind != KIND_OTHER && has_image_extension(input);

        if (kind != KIND_FOLDER && (named || source_recognises(input)))
            status = do_image(pipeline, input, output, !named, listener, context, summary, error);
        else
            summary->others += kind != KIND_FOLDER;
    }
    free(input);
    free(output);
    return status;
}

/* What would go wrong with every single file is refused at once. */
static enum status check_operands(const struct pipeline *pipeline, const char *input,
                                  const char *output, struct error *error)
{
    struct stat in, out;

    if (strcmp(output, "-") == 0)
        return fail(error, STATUS_USAGE,
                    "%s: this is a folder, which cannot go to standard output; name a folder",
                    input);
    if (pipeline->options->format)
        return fail(error, STATUS_USAGE,
                    "--format: the images of a folder keep their names, and so their formats; "
                    "convert them one by one");
    if (pipeline->options->in_place || stat(input, &in) != 0 || stat(output, &out) != 0 ||
        in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s and %s are the same folder; name another output, or say --in-place", input,
                output);
}

static enum status make_folder(const char *path, bool *made, struct error *error)
{
    struct stat about;

    *made = mkdir(path, 0777) == 0;
    if (*made)
        return STATUS_OK;
    if (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return STATUS_OK;
    return fail(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
}

enum status batch_run(const struct pipeline *pipeline, const char *input, const char *output,
                      batch_listener *listener, void *context, struct batch_summary *summary,
                      struct error *error)
{
    struct dirent **entries;
    enum status status;
    bool made;
    int count;

    memset(summary, 0, sizeof *summary);
    status = check_operands(pipeline, input, output, error);
    if (status != STATUS_OK)
        return status;
    count = scandir(input, &entries, NULL, by_name);
    if (count < 0)
        return fail(error, STATUS_INPUT, "%s: cannot read this folder: %s", input, strerror(errno));
    status = make_folder(output, &made, error);
    if (status == STATUS_OK)
        begin_progress(pipeline, input, entries, count);
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK)
            status =
                do_entry(pipeline, joined(input, entries[i]->d_name),
                         joined(output, entries[i]->d_name), listener, context, summary, error);
        free(entries[i]);
    }
    free(entries);
    if (status == STATUS_DEVICE && made)
        rmdir(output); /* no trace, if nothing is in it */
    if (status == STATUS_OK && summary->failed > 0)
        status = STATUS_PARTIAL;
    return status;
}
