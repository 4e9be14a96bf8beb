/* SPDX-License-Identifier: MIT */
#include "src/app/stream/file.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/passage.h"
#include "src/files/codec/carried.h"
#include "src/files/output/output.h"
#include "kernels/common/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum status passage_take_memory(const struct passage *passage, int64_t bytes, const char *what,
                                const struct string_list *less, struct error *error)
{
    const struct view *view = &passage->header->view;
    char text[512], remedy[sizeof(struct phrase) + 32];
    enum status status;

    snprintf(text, sizeof text, "%s: %lld x %lld pixels, %s,", passage->reader->name,
             (long long)view->width, (long long)view->height, what);
    status = budget_take(passage->context->budget, bytes, text, error);
    if (status == STATUS_OK || less->count == 0)
        return status;
    snprintf(remedy, sizeof remedy, "; less is needed %s", string_list_join(less, "and").text);
    return fail_with_remedy(error, remedy);
}

void passage_note_image(const struct passage *passage, const struct image *header)
{
    struct report *report = passage->report;
    const struct image file = image_file(header);

    if (report->images++ == 0) {
        report->shape = image_shape(&file);
        report->input_format = header->format;
        report->has_alpha = image_alpha(&file) != NO_ALPHA;
        report->linear = header->light != NULL;
        report->gamma = header->light ? header->light->gamma : LIGHT_SRGB;
        report->has_profile = passage->reader->curve.has_profile;
    }
    report->pixels += header->view.width * header->view.height;
}

/* Sets *extension to the one that decides the output's format, or to NULL if each image keeps its
 * own format. Refuses an unknown extension before anything is read. */
static enum status find_extension(const struct stream_file *file, const char **extension,
                                  struct error *error)
{
    const bool own = file->same_format || strcmp(file->output, "-") == 0;
    enum format unused;

    *extension = file->format ? file->format : own ? NULL : format_extension(file->output);
    if (!*extension || format_of_extension(*extension, NULL, &unused))
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: cannot write .%s; supported: .pgm .ppm .pbm .pam .pnm .png .jpg .jpeg .tif "
                ".tiff .npy; or use --format",
                file->output, *extension);
}

void passage_choose_format(const struct passage *passage, const struct image *image)
{
    const struct image file = image_file(image);

    passage->writer->format = image->format;
    if (passage->extension)
        format_of_extension(passage->extension, &file, &passage->writer->format);
}

/* Adds to the report which metadata of the current image the output lacks, as far as the metadata
 * has been read. */
static void note_lost(const struct passage *passage)
{
    const struct metadata *metadata = passage->result.metadata;

    if (metadata->count == 0 && !*metadata->left_out.text)
        return;
    carried_note_lost(&passage->result, passage->report->format,
                      passage->context->computer->only_moves, &passage->report->not_carried);
}

/* Estimates the bytes of the samples of all results, as if each image of the file grew like this
 * one. */
static int64_t expected_bytes(const struct image_reader *reader, const struct image *header,
                              const struct image *result)
{
    const double bytes = (double)max(reader->expected_bytes, reader->file_bytes);

    return (int64_t)fmin(bytes * (double)image_bytes(result) / (double)image_bytes(header), 0x1p62);
}

/* Runs the operations on the image that the reader has begun, and writes the result. If the image
 * is a page of a volume, processes this page and all that follow, since they are filtered
 * together. */
static enum status take_image(struct passage *passage, struct error *error)
{
    const struct stream_options *options = passage->context->options;
    const struct work_options *work = &options->work;
    const struct image *header = passage->header;
    const struct image_reader *reader = passage->reader;
    struct image_writer *writer = passage->writer;
    enum status status;

    writer->stack = reader->stack;
    writer->planes = reader->planes;
    writer->input_compressed = reader->compressed;
    status = operations_open(&passage->operations, passage->context, header, reader->name, error);
    passage->result = operations_result(&passage->operations, header);
    writer->expected_bytes = expected_bytes(reader, header, &passage->result);
    if (status == STATUS_OK) {
        passage_choose_format(passage, &passage->result);
        status = image_writer_prepare(writer, &passage->result, error);
    }
    passage->report->format = writer->format;
    note_lost(passage);
    if (status != STATUS_OK || options->dry_run)
        return status;
    /* Bands need less memory than the whole image, and are faster: their data stay in the caches,
     * and one thread reads while another computes. */
    if (!options->verify && writer->takes_bands && work->op_count == 1 &&
        work->ops[0] != OPERATION_TRANSPOSE && work->filter.z.halo == 0)
        return bands_run(passage, error);
    return pages_run(passage, error);
}

/* The progress of one file. Each written row adds a part of the file's work; all rows together add
 * at most `work`. When the file is done, take_file adds what is left. */
struct share {
    void (*add)(int64_t work); /* stream_options.progress; or NULL */
    int64_t work, file_bytes;  /* stream_file.work; the size of the file in bytes, or 0: unknown */
    double scale;              /* work per byte of the current image's samples */
    _Atomic int64_t added;
};

/* The writer's callback on_rows: the writer calls it after each write of rows. `sample_bytes` is
 * the size in bytes of these rows' samples. */
static void add_rows(void *context, int64_t sample_bytes)
{
    struct share *share = context;
    const int64_t work = (int64_t)(share->scale * (double)sample_bytes);
    const int64_t left = share->work - atomic_fetch_add(&share->added, work);

    if (share->add && left > 0)
        share->add(min(work, left));
}

/* Gives the finished output its final name; until then the output has a temporary name or none.
 * After a failure, removes the output instead. */
static enum status close_output(const struct passage *passage, struct output *output,
                                enum status status, struct error *error)
{
    double mark = clock_seconds();

    image_writer_close(passage->writer);
    if (status == STATUS_OK && passage->context->options->output.preserve)
        output_take_times(output, passage->reader->file);
    if (status == STATUS_OK && output->file) {
        status = output_commit(output, error);
        passage->report->output_bytes = output->bytes;
    } else {
        output_abandon(output);
    }
    clock_add_since(&mark, &passage->report->times.write);
    return status;
}

/* Reads the header of each image, and processes the image. For a volume, the first call of
 * take_image does all pages. --dry-run stops after the first image. */
static enum status take_images(struct passage *passage, struct image *header, const char *name,
                               struct output *output, struct share *share, struct error *error)
{
    const struct stream_options *options = passage->context->options;
    struct report *report = passage->report;
    enum status status;
    bool found;

    do {
        double mark = clock_seconds();

        status = image_reader_begin(passage->reader, header, &found, error);
        if (status != STATUS_OK || !found)
            break;
        passage_note_image(passage, header);
        clock_add_since(&mark, &report->times.read);
        if (report->images == 1 && !options->dry_run) {
            status = output_open(output, name, options->output.no_clobber, error);
            passage->writer->file = output->file;
        }
        /* A file may have several images. So an image's part of the work is the size of its samples
         * divided by the size of the file. If the file is compressed, and so smaller than the
         * image's samples, the image's part is all of the work. */
        share->scale = (double)share->work / (double)max(share->file_bytes, image_bytes(header));
        if (status == STATUS_OK)
            status = take_image(passage, error);
    } while (status == STATUS_OK && options->work.filter.z.halo == 0 && !options->dry_run);
    if (status == STATUS_OK) /* PNG: more metadata may follow the samples */
        note_lost(passage);
    return status;
}

/* Processes every image of the reader. */
static enum status take_file(const struct stream_context *context, struct image_reader *reader,
                             const struct stream_file *file, const char *extension,
                             struct report *report, struct error *error)
{
    struct share share = {.add = context->options->progress,
                          .work = file->work,
                          .file_bytes = max(reader->file_bytes, 0)};
    struct output output = {0};
    struct image header;
    struct image_writer writer = {.name = output_name(file->output),
                                  .options = context->options->output.write,
                                  .own_file = output_is_file(file->output),
                                  .on_rows = add_rows,
                                  .context = &share};
    struct passage passage = {.context = context,
                              .reader = reader,
                              .writer = &writer,
                              .extension = extension,
                              .header = &header,
                              .report = report};
    enum status status;

    writer.options.threads = context->threads;
    status = take_images(&passage, &header, file->output, &output, &share, error);
    status = close_output(&passage, &output, status, error);
    if (share.add && share.added < share.work)
        share.add(share.work - share.added);
    return status;
}

enum status file_run(const struct stream_context *context, const struct stream_file *file,
                     struct report *report, struct error *error)
{
    const struct stream_options *options = context->options;
    const bool only_moves = context->computer->only_moves;
    const double start = clock_seconds();
    const char *extension;
    struct image_reader reader;
    enum status status;

    *report = NO_REPORT;
    status = find_extension(file, &extension, error);
    if (status == STATUS_OK)
        status = image_reader_open(&reader, file->input, options->max_pixels, error);
    if (status != STATUS_OK) {
        if (options->progress)
            options->progress(file->work);
        return status;
    }
    report->input_bytes = reader.file_bytes;
    reader.max_side = options->max_side;
    reader.max_channels = options->max_channels;
    reader.max_metadata = options->max_metadata;
    reader.stack = options->stack;
    reader.lights = options->linear && !only_moves ? context->lights : NULL;
    reader.mask = only_moves ? NULL : context->mask;
    status = take_file(context, &reader, file, extension, report, error);
    if (context->computer->on_gpu)
        report->gpu = computer_gpu(context->computer);
    report->faults = reader.metadata.faults;
    report->damaged = reader.metadata.damaged;
    report->left_out = reader.metadata.left_out;
    if (!only_moves && !context->mask)
        memcpy(report->no_data, reader.no_data, sizeof report->no_data);
    image_reader_close(&reader);
    report->seconds = clock_seconds() - start;
    return status;
}
