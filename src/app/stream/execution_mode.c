/* SPDX-License-Identifier: MIT */
#include "src/app/stream/execution_mode.h"

#include "kernels/common/numbers.h"
#include "src/app/stream/bands/bands.h"
#include "src/app/stream/operations/operations.h"
#include "src/app/stream/volume.h"
#include "src/app/stream/whole.h"
#include "src/lib/base/clock.h"
#include "src/text/string_list.h"

/* One image, and the plan of the mode that was chosen for it. */
struct image_work {
    const struct stream_context *context;
    struct image_reader *reader;
    struct image_output *destination;
    const struct image *header;
    struct operations operations;
    struct report *report;

    /* Set by the mode's plan: */
    int64_t bytes;    /* of memory, without the reader's; after the plan, with it */
    const char *name; /* what messages call the mode */
    int threads;      /* as a whole */
    struct bands bands;
    struct band_plan band_plan;
};

struct execution_mode {
    void (*plan)(struct image_work *work);
    /* Adds the ways of calling the program that would need less memory. */
    void (*remedies)(const struct image_work *work, struct string_list *list);
    enum status (*run)(const struct image_work *work, struct error *error);
};

/* Files whose rows can be read at any place. */
#define RAW_FILE "an uncompressed file (NPY, TIFF in strips, raw PGM, PPM or PAM)"

/* What the reader leaves of the limit for the images. */
static int64_t room(const struct image_work *work)
{
    return max(work->context->budget->limit - work->reader->bytes, 1);
}

/* --- As a whole, in memory: possible for every image. */

static void plan_whole(struct image_work *work)
{
    const struct image_writer *writer = &work->destination->writer;
    const struct image result = operations_result(&work->operations, work->header);
    const int64_t each =
        image_writer_takes_bands(writer) ? image_writer_requirements(writer, &result).bytes : 0;
    const struct whole_plan plan =
        whole_plan_make(work->context, &work->operations, work->header, each, room(work));

    work->name = "in memory as a whole";
    work->bytes = plan.bytes;
    work->threads = plan.threads;
}

static void whole_remedies(const struct image_work *work, struct string_list *list)
{
    const struct stream_options *options = work->context->options;

    if (options->work.op_count > 1)
        string_list_add(list, "with one --op at a time");
    if (options->verify)
        string_list_add(list, "without --verify");
    if (options->work.ops[0] != OPERATION_TRANSPOSE &&
        !image_writer_takes_bands(&work->destination->writer))
        string_list_add(list, "into a file of PNG, TIFF, NPY or raw PGM, PPM or PAM");
}

static enum status run_whole(const struct image_work *work, struct error *error)
{
    struct image_writer *writer = &work->destination->writer;
    double mark = clock_seconds();
    struct image image;
    enum status status =
        image_reader_load(work->reader, work->header, 0, work->threads, &image, error);

    add_time_since(&mark, &work->report->times.read);
    if (status == STATUS_OK)
        status = whole_run(work->context, &work->operations, work->threads, &image,
                           &work->report->times, error);
    if (status == STATUS_OK) {
        mark = clock_seconds();
        writer->options.threads = work->threads;
        status = image_output_put(work->destination, &image, error);
        add_time_since(&mark, &work->report->times.write);
    }
    image_free(&image);
    return status;
}

static const struct execution_mode whole = {plan_whole, whole_remedies, run_whole};

/* --- In bands of rows: one smooth or reverse, from file to file. */

static void plan_bands(struct image_work *work)
{
    const struct stream_context *context = work->context;

    work->bands = (struct bands){
        .operations = work->operations,
        .threads = context->threads,
        .max_bytes = room(work),
    };
    work->band_plan =
        bands_plan(&work->bands, work->reader, &work->destination->writer, work->header);
    work->bytes = work->band_plan.bytes;
    work->name = bands_keep_all(&work->operations, work->reader->order)
                     ? "in bands, with all rows read first"
                     : "in bands";
}

static void bands_remedies(const struct image_work *work, struct string_list *list)
{
    if (bands_keep_all(&work->operations, work->reader->order))
        string_list_add(list, "from " RAW_FILE);
    else if (operations_reach(&work->bands.operations) > 0)
        string_list_add(list, "with a smaller --halo");
}

static enum status run_bands(const struct image_work *work, struct error *error)
{
    return bands_run(&work->bands, &work->band_plan, work->reader, &work->destination->writer,
                     work->header, &work->report->times, error);
}

static const struct execution_mode in_bands = {plan_bands, bands_remedies, run_bands};

/* --- The choice, and the run. */

/* Bands are also the faster ones: what they need stays in the caches, and one thread reads while
 * another computes. */
static const struct execution_mode *choose_mode(const struct image_work *work)
{
    const struct stream_options *options = work->context->options;

    if (options->verify || !image_writer_takes_bands(&work->destination->writer) ||
        options->work.op_count > 1 || options->work.ops[0] == OPERATION_TRANSPOSE)
        return &whole;
    return &in_bands;
}

static enum status take_memory(const struct image_work *work, const struct execution_mode *mode,
                               struct error *error)
{
    struct string_list list = {0};
    char what[512], remedy[sizeof(struct phrase) + 32] = "";

    mode->remedies(work, &list);
    snprintf(what, sizeof what, "%s: %lld x %lld pixels, %s,", work->reader->name,
             (long long)work->header->view.width, (long long)work->header->view.height, work->name);
    if (list.count > 0)
        snprintf(remedy, sizeof remedy, "; less is needed %s", string_list_join(&list, "and").text);
    return budget_take(work->context->budget, work->bytes, what, remedy, error);
}

enum status execution_mode_run(const struct stream_context *context, struct image_reader *reader,
                               struct image_output *destination, const struct image *header,
                               struct report *report, struct error *error)
{
    struct image_work work = {.context = context,
                              .reader = reader,
                              .destination = destination,
                              .header = header,
                              .operations = operations_of(context, header),
                              .report = report};
    const struct image result = operations_result(&work.operations, header);
    const struct execution_mode *mode;
    enum status status = operations_check(&work.operations, header, reader->name, error);

    if (status == STATUS_OK)
        status = image_output_check(destination, &result, error);

    report->format = destination->writer.format;
    if (status != STATUS_OK)
        return status;
    if (context->options->work.filter.z.halo > 0)
        return volume_run(context, reader, destination, header, &work.operations, report, error);
    mode = choose_mode(&work);
    mode->plan(&work);
    work.bytes += reader->bytes;
    status = take_memory(&work, mode, error);
    if (status != STATUS_OK)
        return status;
    status = mode->run(&work, error);
    budget_give(context->budget, work.bytes);
    return status;
}
