/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#include "clock.h"
#include "routes.h"
#include "writer.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status pipeline_prepare(struct pipeline *pipeline, const struct options *options,
                             struct error *error)
{
    const enum status status = chooser_open(options, NULL, 0, &pipeline->chooser, error);

    pipeline->options = options;
    if (status != STATUS_OK)
        return status;
    pipeline->variants = chooser_variants(pipeline->chooser);
    return gauss_weights(&options->filter, pipeline->weights, error);
}

void pipeline_close(struct pipeline *pipeline)
{
    chooser_close(pipeline->chooser);
}

static size_t image_bytes(const struct image *image)
{
    return image_row_bytes(image) * (size_t)image->view.height;
}

static void note_image(const struct image *about, struct report *report)
{
    if (report->images++ == 0)
        report->shape = image_shape(about);
    report->pixels += about->view.width * about->view.height;
}

/* Finds the next image and reads its header. */
static enum status begin_image(struct source *source, struct image *about, bool *found,
                               struct report *report, struct error *error)
{
    const double start = clock_seconds();
    const enum status status = source_begin(source, about, found, error);

    if (status == STATUS_OK && *found) {
        note_image(about, report);
        report_stage(&report->read, start, image_bytes(about));
    }
    return status;
}

static enum status commit(struct writer *writer, struct report *report, struct error *error)
{
    const double start = clock_seconds();
    const enum status status = output_commit(&writer->output, error);

    report_stage(&report->write, start, 0);
    return status;
}

/* Every image of the open source, into an output that is opened once the first header has been
 * read. */
static enum status take_images(const struct pipeline *pipeline, struct source *source,
                               const char *path, bool same_format, struct report *report,
                               struct error *error)
{
    struct writer writer = {0};
    struct image about;
    bool found;
    enum status status = begin_image(source, &about, &found, report, error);

    if (status == STATUS_OK)
        status = writer_open(&writer, pipeline->options, path, same_format, error);
    while (status == STATUS_OK && found) {
        status = route_image(pipeline, source, &writer, &about, report, error);
        if (status == STATUS_OK)
            status = begin_image(source, &about, &found, report, error);
    }
    if (status == STATUS_OK)
        return commit(&writer, report, error);
    writer_abandon(&writer);
    return status;
}

/* What the name stands for; - is the standard stream. */
static bool examine(const char *name, int stream, struct stat *about)
{
    return (strcmp(name, "-") == 0 ? fstat(stream, about) : stat(name, about)) == 0;
}

/* One file under two names would be read while it is replaced. */
static enum status check_apart(const struct options *options, const char *input, const char *output,
                               struct error *error)
{
    struct stat in, out;

    if (options->in_place || !examine(input, STDIN_FILENO, &in) ||
        !examine(output, STDOUT_FILENO, &out) || !S_ISREG(in.st_mode) || in.st_dev != out.st_dev ||
        in.st_ino != out.st_ino)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s and %s are the same file; name another output, or say --in-place", input,
                output);
}

enum status pipeline_file(const struct pipeline *pipeline, const char *input, const char *output,
                          bool same_format, struct report *report, struct error *error)
{
    struct source source;
    enum status status;

    memset(report, 0, sizeof *report);
    same_format = same_format || strcmp(input, output) == 0; /* in place */
    status = check_apart(pipeline->options, input, output, error);
    if (status == STATUS_OK)
        status = writer_check_name(pipeline->options, output, same_format, error);
    if (status == STATUS_OK)
        status = source_open(&source, input, pipeline->options->max_pixels, error);
    if (status != STATUS_OK)
        return status;
    status = take_images(pipeline, &source, output, same_format, report, error);
    source_close(&source);
    return status;
}
