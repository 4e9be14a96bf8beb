/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static bool is_regular(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static bool has_image_extension(const char *path)
{
    const char *extension = format_extension(path);
    enum format unused;

    return extension && format_of_extension(extension, NULL, &unused);
}

/* One entry of the folder. Its paths are freed here. */
static enum status do_entry(const struct pipeline *pipeline, char *input, char *output,
                            batch_listener *listener, void *context, struct batch_summary *summary,
                            struct error *error)
{
    struct report report;
    enum status status = STATUS_OK;

    if (!input || !output) {
        status = fail(error, STATUS_INPUT, "no memory for the names of files");
    } else if (is_regular(input)) {
        const bool named = has_image_extension(input);

        if (named || source_recognises(input)) {
            struct error trouble;
            const enum status outcome =
                pipeline_file(pipeline, input, output, !named, &report, &trouble);

            summary->done += outcome == STATUS_OK;
            summary->failed += outcome != STATUS_OK;
            listener(context, input, output, outcome, &report, &trouble);
        } else {
            summary->others++;
        }
    }
    free(input);
    free(output);
    return status;
}

static enum status make_folder(const char *path, struct error *error)
{
    struct stat about;

    if (mkdir(path, 0777) == 0)
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
    enum status status = STATUS_OK;
    const int count = scandir(input, &entries, NULL, by_name);

    memset(summary, 0, sizeof *summary);
    if (count < 0)
        return fail(error, STATUS_INPUT, "%s: cannot read this folder: %s", input, strerror(errno));
    status = make_folder(output, error);
    for (int i = 0; i < count; i++) {
        if (status == STATUS_OK)
            status =
                do_entry(pipeline, joined(input, entries[i]->d_name),
                         joined(output, entries[i]->d_name), listener, context, summary, error);
        free(entries[i]);
    }
    free(entries);
    if (status == STATUS_OK && summary->failed > 0)
        status = STATUS_PARTIAL;
    return status;
}
