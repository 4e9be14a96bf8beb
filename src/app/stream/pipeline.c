/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#include "clock.h"
#include "registry.h"
#include "routes.h"
#include "writer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status pipeline_check(const struct options *options, uint64_t *weights, struct error *error)
{
    const struct variant *unused;
    enum status status = STATUS_OK;

    for (int i = 0; i < options->op_count && status == STATUS_OK; i++)
        status = registry_choose((enum op)options->ops[i], options->variant, &unused, error);
    return status == STATUS_OK ? gauss_weights(&options->filter, weights, error) : status;
}

enum status pipeline_prepare(struct pipeline *pipeline, const struct options *options,
                             const struct glance *expected, int first, struct error *error)
{
    const enum status status = chooser_open(options, expected, first, &pipeline->chooser, error);

    pipeline->options = options;
    if (status == STATUS_OK)
        pipeline->variants = chooser_variants(pipeline->chooser);
    return status;
}

void pipeline_close(struct pipeline *pipeline)
{
    chooser_close(pipeline->chooser);
}

static void note_image(const struct image *about, struct report *report)
{
    if (report->images++ == 0)
        report->shape = image_shape(about);
    report->pixels += about->view.width * about->view.height;
}

/* By what the image was done. */
static void note_work(const struct pipeline *pipeline, struct report *report)
{
    for (int i = 0; i < pipeline->options->op_count; i++)
        report->variants[i] = pipeline->variants[i];
    chooser_name_gpu(pipeline->chooser, report->device, sizeof report->device);
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
    const enum status status = writer_commit(writer, &report->output_bytes, error);

    report->checksum = writer->sink.checksum;
    report_stage(&report->write, start, 0);
    return status;
}

/* Every image of the open source, into an output that is opened once the first header has been
 * read. */
static enum status take_images(const struct pipeline *pipeline, struct source *source,
                               const char *path, bool same_format, struct report *report,
                               struct error *error)
{
    struct progress_share share = {.bytes = source->file_bytes > 0 ? source->file_bytes : 0};
    struct writer writer = {0};
    struct image about;
    bool found;
    enum status status = begin_image(source, &about, &found, report, error);

    if (status == STATUS_OK)
        status = writer_open(&writer, pipeline->options, path, same_format, error);
    writer.sink.share = &share;
    while (status == STATUS_OK && found) {
        status = route_image(pipeline, source, &writer, &about, report, error);
        note_work(pipeline, report);
        if (status == STATUS_OK)
            status = begin_image(source, &about, &found, report, error);
    }
    if (status == STATUS_OK)
        status = commit(&writer, report, error);
    else
        writer_abandon(&writer);
    progress_share_end(&share);
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

    if (options->in_place)
        return STATUS_OK;
    if (!examine(input, STDIN_FILENO, &in))
        return errno == ENOENT ? STATUS_OK /* until it is opened */
                               : fail(error, STATUS_INPUT, "%s: cannot be opened: %s",
                                      source_name(input), strerror(errno));
    if (!examine(output, STDOUT_FILENO, &out))
        return errno == ENOENT ? STATUS_OK
                               : fail(error, STATUS_OUTPUT, "%s: cannot be written: %s",
                                      output_name(output), strerror(errno));
    if (!S_ISREG(in.st_mode) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s and %s are the same file; name another output, or say --in-place",
                source_name(input), output_name(output));
}

enum status pipeline_file(const struct pipeline *pipeline, const char *input, const char *output,
                          bool same_format, struct report *report, struct error *error)
{
    const double start = clock_seconds();
    struct source source;
    enum status status;

    *report = (struct report){.input_bytes = -1, .output_bytes = -1};
    status = check_apart(pipeline->options, input, output, error);
    if (status == STATUS_OK)
        status = writer_check_name(pipeline->options, output, same_format, error);
    if (status == STATUS_OK)
        status = source_open(&source, input, pipeline->options->max_pixels, error);
    if (status != STATUS_OK)
        return status;
    report->input_bytes = source.file_bytes;
    source.max_side = pipeline->options->max_side;
    source.max_channels = pipeline->options->max_channels;
    source.max_metadata = pipeline->options->strip_metadata ? 0 : pipeline->options->max_metadata;
    status = take_images(pipeline, &source, output, same_format, report, error);
    report->faults = source.metadata.faults;
    report->damaged = source.metadata.damaged;
    report->left_out = source.metadata.left_out;
    source_close(&source);
    report->seconds = clock_seconds() - start;
    return status;
}
