/* SPDX-License-Identifier: MIT */
#include "src/app/stream/pipeline.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/clock.h"
#include "src/app/stream/execution_mode.h"
#include "src/app/stream/operations/operations.h"
#include "src/app/stream/output/image_output.h"
#include "src/app/stream/output/progress_share.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Finds the next image and reads its header. */
static enum status begin_image(struct image_reader *reader, struct image *header, bool *found,
                               struct report *report, struct error *error)
{
    double mark = clock_seconds();
    const enum status status = image_reader_begin(reader, header, found, error);

    if (status == STATUS_OK && *found) {
        report_note_image(report, reader, header);
        add_time_since(&mark, &report->times.read);
    }
    return status;
}

static enum status commit(struct image_output *destination, struct report *report,
                          struct error *error)
{
    double mark = clock_seconds();
    const enum status status = image_output_commit(destination, &report->output_bytes, error);

    report->nan_samples = destination->writer.nan_samples;
    add_time_since(&mark, &report->times.write);
    return status;
}

/* Takes every image of the reader into the output, which is opened once the first header has been
 * read. */
static enum status take_images(const struct stream_context *context, struct image_reader *reader,
                               const struct stream_file *file, struct report *report,
                               struct error *error)
{
    struct progress_share share = {.add = context->options->progress,
                                   .work = file->work,
                                   .file_bytes = max(reader->file_bytes, 0)};
    struct image_output destination = {0};
    struct image header;
    bool found;
    enum status status = begin_image(reader, &header, &found, report, error);

    if (status == STATUS_OK)
        status = image_output_open(&destination, &context->options->output, file->output,
                                   file->same_format, error);
    destination.writer.options.threads = context->threads;
    destination.writer.on_rows = progress_share_rows;
    destination.writer.context = &share;
    destination.writer.left_out = &reader->metadata.left_out;
    destination.writer.stack = reader->stack;
    destination.writer.planes = reader->planes;
    destination.writer.expected_bytes = max(reader->expected_bytes, reader->file_bytes);
    while (status == STATUS_OK && found) {
        progress_share_begin(&share, (int64_t)image_bytes(&header));
        destination.writer.input_compressed = reader->compressed;
        status = execution_mode_run(context, reader, &destination, &header, report, error);
        if (context->options->work.filter.z.halo > 0) /* that were all images */
            break;
        if (status == STATUS_OK)
            status = begin_image(reader, &header, &found, report, error);
    }
    if (status == STATUS_OK && context->options->output.preserve)
        output_take_times(&destination.file, reader->file);
    if (status == STATUS_OK)
        status = commit(&destination, report, error);
    else
        image_output_abandon(&destination);
    progress_share_end(&share);
    return status;
}

/* Status of the file of this name; - is the standard stream. False: see errno. */
static bool examine(const char *name, int stream, struct stat *info)
{
    return (strcmp(name, "-") == 0 ? fstat(stream, info) : stat(name, info)) == 0;
}

/* One file under two names would be read while it is replaced. */
static enum status check_apart(const struct stream_options *options, const char *input,
                               const char *output, struct error *error)
{
    struct stat in, out;

    if (options->in_place)
        return STATUS_OK;
    if (!examine(output, STDOUT_FILENO, &out))
        return errno == ENOENT ? STATUS_OK
                               : fail(error, STATUS_OUTPUT, "%s: cannot be written: %s",
                                      output_name(output), strerror(errno));
    if (!examine(input, STDIN_FILENO, &in)) /* one that is not there is refused when it is opened */
        return errno == ENOENT ? STATUS_OK
                               : fail(error, STATUS_INPUT, "%s: cannot be opened: %s",
                                      image_reader_name(input), strerror(errno));
    if (!S_ISREG(in.st_mode) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s and %s are the same file; name another output, or say --in-place",
                image_reader_name(input), output_name(output));
}

enum status pipeline_file(const struct stream_context *context, const struct stream_file *file,
                          struct report *report, struct error *error)
{
    const struct stream_options *options = context->options;
    const char *output = file->output;
    const double start = clock_seconds();
    struct image_reader reader;
    enum status status;

    *report = NO_REPORT;
    status = check_apart(options, file->input, output, error);
    if (status == STATUS_OK)
        status = image_output_check_name(&options->output, output, file->same_format, error);
    if (status == STATUS_OK)
        status = image_reader_open(&reader, file->input, options->max_pixels, error);
    if (status != STATUS_OK)
        return status;
    report->input_bytes = reader.file_bytes;
    reader.max_side = options->max_side;
    reader.max_channels = options->max_channels;
    reader.max_metadata = options->max_metadata;
    reader.keep_orientation = true;
    reader.stack = options->stack;
    if (options->linear && !operations_only_move(&options->work))
        reader.lights = context->lights;
    if (!operations_only_move(&options->work))
        reader.mask = context->mask;
    status = take_images(context, &reader, file, report, error);
    report->gpu = computer_gpu(context->computer);
    report->gpu_lost = status == STATUS_DEVICE && computer_is_lost(context->computer);
    report->faults = reader.metadata.faults;
    report->damaged = reader.metadata.damaged;
    report->left_out = reader.metadata.left_out;
    if (status == STATUS_OK)
        not_carried_note(&reader.metadata, report->format, operations_only_move(&options->work),
                         &report->not_carried);
    image_reader_close(&reader);
    report->seconds = clock_seconds() - start;
    return status;
}
