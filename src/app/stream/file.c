/* SPDX-License-Identifier: MIT */
#include "src/app/stream/file.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/bands/bands.h"
#include "src/app/stream/output/progress_share.h"
#include "src/app/stream/pages.h"
#include "src/files/codec/carried.h"
#include "src/lib/base/clock.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- One image. */

int64_t passage_room(const struct passage *passage)
{
    return max(passage->context->budget->limit - passage->reader->bytes, 1);
}

enum status passage_take_memory(const struct passage *passage, int64_t bytes, const char *what,
                                const struct string_list *less, struct error *error)
{
    const struct view *view = &passage->header->view;
    char text[512], remedy[sizeof(struct phrase) + 32] = "";

    snprintf(text, sizeof text, "%s: %lld x %lld pixels, %s,", passage->reader->name,
             (long long)view->width, (long long)view->height, what);
    if (less->count > 0)
        snprintf(remedy, sizeof remedy, "; less is needed %s", string_list_join(less, "and").text);
    return budget_take(passage->context->budget,
                       bytes < INT64_MAX ? bytes + passage->reader->bytes : bytes, text, remedy,
                       error);
}

void passage_give_memory(const struct passage *passage, int64_t bytes)
{
    budget_give(passage->context->budget, bytes + passage->reader->bytes);
}

/* Bands are also the faster ones: what they need stays in the caches, and one thread reads while
 * another computes. */
static bool suits_bands(const struct passage *passage)
{
    const struct stream_options *options = passage->context->options;
    const struct work_options *work = &options->work;

    return !options->verify && image_writer_takes_bands(&passage->destination->writer) &&
           work->op_count == 1 && work->ops[0] != OPERATION_TRANSPOSE && work->filter.z.halo == 0;
}

/* Takes the image that the reader has begun through the operations and into the writer; of a volume
 * all images from it on. */
static enum status take_image(const struct stream_context *context, struct image_reader *reader,
                              struct image_output *destination, const struct image *header,
                              struct report *report, struct error *error)
{
    struct passage passage = {.context = context,
                              .reader = reader,
                              .destination = destination,
                              .header = header,
                              .operations = operations_of(context, header),
                              .report = report};
    struct band_plan plan;
    enum status status = operations_check(&passage.operations, header, reader->name, error);

    passage.result = operations_result(&passage.operations, header);
    if (status == STATUS_OK)
        status = image_output_check(destination, &passage.result, error);
    report->format = destination->writer.format;
    if (status != STATUS_OK || context->options->dry_run)
        return status;
    if (!suits_bands(&passage))
        return pages_run(&passage, error);
    plan = bands_plan(&passage, 0);
    return bands_run(&plan, error);
}

/* --- All images of a file. */

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
                                   file->same_format, context->options->dry_run, error);
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
        status = take_image(context, reader, &destination, &header, report, error);
        /* Of a volume that were all images. */
        if (context->options->work.filter.z.halo > 0 || context->options->dry_run)
            break;
        if (status == STATUS_OK)
            status = begin_image(reader, &header, &found, report, error);
    }
    if (context->options->dry_run)
        return status;
    if (status == STATUS_OK && context->options->output.preserve)
        output_take_times(&destination.file, reader->file);
    if (status == STATUS_OK)
        status = commit(&destination, report, error);
    else
        image_output_abandon(&destination);
    progress_share_end(&share);
    return status;
}

/* Status of the file of this name; - is the standard stream. */
static bool examine(const char *name, int stream, struct stat *info)
{
    return (strcmp(name, "-") == 0 ? fstat(stream, info) : stat(name, info)) == 0;
}

/* One file under two names would be read while it is replaced. What cannot be examined is refused
 * when it is opened. */
static enum status check_apart(const struct stream_options *options, const char *input,
                               const char *output, struct error *error)
{
    struct stat in, out;

    if (options->in_place || !examine(output, STDOUT_FILENO, &out) ||
        !examine(input, STDIN_FILENO, &in) || !S_ISREG(in.st_mode) || in.st_dev != out.st_dev ||
        in.st_ino != out.st_ino)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s and %s are the same file; name another output, or say --in-place",
                image_reader_name(input), output_name(output));
}

enum status file_run(const struct stream_context *context, const struct stream_file *file,
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
    report->faults = reader.metadata.faults;
    report->damaged = reader.metadata.damaged;
    report->left_out = reader.metadata.left_out;
    if (status == STATUS_OK)
        carried_note_lost(&reader.metadata, report->input_format, report->format,
                          operations_only_move(&options->work), &report->not_carried);
    image_reader_close(&reader);
    report->seconds = clock_seconds() - start;
    return status;
}
