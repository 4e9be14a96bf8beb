/* SPDX-License-Identifier: MIT */
#include "src/app/stream/execution_mode.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/bands/bands.h"
#include "src/app/stream/volume.h"
#include "src/app/stream/whole.h"
#include "src/lib/base/clock.h"

/* Files whose rows can be read at any place. */
#define RAW_FILE "an uncompressed file (NPY, TIFF in strips, raw PGM, PPM or PAM)"

struct image_work {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_output *destination;
    const struct image *header;
    struct operations operations;
    struct report *report;
    int64_t room; /* what the reader leaves of the limit for the images */
};

/* Takes the bytes of a mode, and the reader's. mode: what messages call it; list: ways of calling
 * the program that would need less. */
static enum status take_memory(const struct image_work *work, int64_t bytes, const char *mode,
                               const struct string_list *list, struct error *error)
{
    char what[512], remedy[sizeof(struct phrase) + 32] = "";

    snprintf(what, sizeof what, "%s: %lld x %lld pixels, %s,", work->reader->name,
             (long long)work->header->view.width, (long long)work->header->view.height, mode);
    if (list->count > 0)
        snprintf(remedy, sizeof remedy, "; less is needed %s", string_list_join(list, "and").text);
    return budget_take(work->context->budget,
                       bytes < INT64_MAX ? bytes + work->reader->bytes : bytes, what, remedy,
                       error);
}

/* --- As a whole, in memory: possible for every image. */

static enum status run_whole(const struct image_work *work, int threads, struct error *error)
{
    struct image_writer *writer = &work->destination->writer;
    double mark = clock_seconds();
    struct image image;
    enum status status =
        image_reader_load(work->reader, work->header, threads, NULL, &image, error);

    add_time_since(&mark, &work->report->times.read);
    if (status == STATUS_OK)
        status = whole_run(work->context, &work->operations, threads, &image, &work->report->times,
                           error);
    if (status == STATUS_OK) {
        mark = clock_seconds();
        writer->options.threads = threads;
        status = image_output_put(work->destination, &image, error);
        add_time_since(&mark, &work->report->times.write);
    }
    image_free(&image);
    return status;
}

static enum status do_whole(const struct image_work *work, struct error *error)
{
    const struct stream_options *options = work->context->options;
    const struct image_writer *writer = &work->destination->writer;
    const struct image result = operations_result(&work->operations, work->header);
    const bool bands = image_writer_takes_bands(writer);
    const struct whole_plan plan =
        whole_plan_make(work->context, &work->operations, work->header,
                        bands ? image_writer_requirements(writer, &result).bytes : 0, work->room);
    struct string_list less = {0};
    enum status status;

    if (options->work.op_count > 1)
        string_list_add(&less, "with one --op at a time");
    if (options->verify)
        string_list_add(&less, "without --verify");
    if (options->work.ops[0] != OPERATION_TRANSPOSE && !bands)
        string_list_add(&less, "into a file of PNG, TIFF, NPY or raw PGM, PPM or PAM");
    status = take_memory(work, plan.bytes, "in memory as a whole", &less, error);
    if (status != STATUS_OK)
        return status;
    status = run_whole(work, plan.threads, error);
    budget_give(work->context->budget, plan.bytes + work->reader->bytes);
    return status;
}

/* --- In bands of rows: one smooth or reverse, from file to file. */

static enum status do_bands(const struct image_work *work, struct error *error)
{
    const struct bands bands = {
        .operations = work->operations, .threads = work->context->threads, .max_bytes = work->room};
    struct image_writer *writer = &work->destination->writer;
    const bool keeps_all = bands_keep_all(&work->operations, work->reader->order);
    const struct band_plan plan = bands_plan(&bands, work->reader, writer, work->header);
    struct string_list less = {0};
    enum status status;

    if (keeps_all)
        string_list_add(&less, "from " RAW_FILE);
    else if (operations_reach(&work->operations) > 0)
        string_list_add(&less, "with a smaller --halo");
    status =
        take_memory(work, plan.bytes, keeps_all ? "in bands, with all rows read first" : "in bands",
                    &less, error);
    if (status != STATUS_OK)
        return status;
    status =
        bands_run(&bands, &plan, work->reader, writer, work->header, &work->report->times, error);
    budget_give(work->context->budget, plan.bytes + work->reader->bytes);
    return status;
}

/* Bands are also the faster ones: what they need stays in the caches, and one thread reads while
 * another computes. */
static bool is_whole(const struct image_work *work)
{
    const struct stream_options *options = work->context->options;

    return options->verify || !image_writer_takes_bands(&work->destination->writer) ||
           options->work.op_count > 1 || options->work.ops[0] == OPERATION_TRANSPOSE;
}

enum status execution_mode_run(const struct stream_context *context, struct image_reader *reader,
                               struct image_output *destination, const struct image *header,
                               struct report *report, struct error *error)
{
    const struct image_work work = {.context = context,
                                    .reader = reader,
                                    .destination = destination,
                                    .header = header,
                                    .operations = operations_of(context, header),
                                    .report = report,
                                    .room = max(context->budget->limit - reader->bytes, 1)};
    const struct image result = operations_result(&work.operations, header);
    enum status status = operations_check(&work.operations, header, reader->name, error);

    if (status == STATUS_OK)
        status = image_output_check(destination, &result, error);
    report->format = destination->writer.format;
    if (status != STATUS_OK)
        return status;
    if (context->options->work.filter.z.halo > 0)
        return volume_run(context, reader, destination, header, &work.operations, report, error);
    return is_whole(&work) ? do_whole(&work, error) : do_bands(&work, error);
}
