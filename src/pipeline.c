/* SPDX-License-Identifier: MIT */
#include "pipeline.h"

#include "compare.h"
#include "gpu.h"
#include "halo.h"
#include "registry.h"
#include "run.h"
#include "writer.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum status pipeline_prepare(struct pipeline *pipeline, const struct options *options,
                             struct error *error)
{
    const enum status status = chooser_open(options, &pipeline->chooser, error);

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

/* The border that operation i wants around its source: none behind the last. */
static int64_t halo_before(const struct options *options, int i)
{
    return i < options->op_count && options->ops[i] == OP_SMOOTH ? options->filter.halo : 0;
}

static size_t image_bytes(const struct image *image)
{
    return image_row_bytes(image) * (size_t)image->view.height;
}

/* Runs the reference on the same source, and compares. */
static enum status verify(const struct pipeline *pipeline, int i, const struct image *src,
                          const struct run_options *run, const struct image *dst,
                          struct error *error)
{
    const struct variant *variant = pipeline->variants[i];
    struct image wanted;
    struct difference difference;
    const enum status status =
        run_variant(registry_reference(variant->op), src, run, 0, &wanted, error);

    if (status != STATUS_OK)
        return status;
    difference = compare_views(&wanted.view, &dst->view);
    image_free(&wanted);
    if (difference.samples == 0)
        return STATUS_OK;
    return fail(error, STATUS_DIFFERENT,
                "%s %s differs from the reference in %lld sample%s; the first is column %lld, row "
                "%lld, channel %d: %u, where the reference has %u; nothing was written; please "
                "report this, and use --variant reference until it is mended",
                op_word(variant->op), variant->name, (long long)difference.samples,
                difference.samples == 1 ? "" : "s", (long long)difference.x,
                (long long)difference.y, (int)difference.channel, (unsigned)difference.got,
                (unsigned)difference.wanted);
}

/* The kernel reads and writes each sample once, at best: that is what its GB/s count. */
static void note_gpu_times(const struct pipeline *pipeline, size_t sample_bytes,
                           struct gpu_stages *stages)
{
    const struct gpu_times times = gpu_last_times(chooser_gpu(pipeline->chooser));

    stages->upload.seconds += times.upload;
    stages->upload.bytes += times.upload_bytes;
    stages->kernel.seconds += times.kernel;
    stages->kernel.bytes += 2 * (int64_t)sample_bytes;
    stages->download.seconds += times.download;
    stages->download.bytes += times.download_bytes;
}

/* Replaces *image by the result of operation i. */
static enum status do_op(const struct pipeline *pipeline, int i, struct image *image,
                         struct report *report, struct error *error)
{
    const struct options *options = pipeline->options;
    const bool smooth = options->ops[i] == OP_SMOOTH;
    const struct run_options run = {
        .weights = smooth ? pipeline->weights : NULL,
        .halo = halo_before(options, i),
        .threads = (int)options->threads,
        .block = (int)options->block,
    };
    double start = report_clock();
    struct image result;
    enum status status;

    if (smooth) {
        halo_fill(image, options->filter.edge);
        report_stage(&report->halo, start, image_bytes(image));
        start = report_clock();
    }
    status =
        chooser_run(pipeline->chooser, i, image, &run, halo_before(options, i + 1), &result, error);
    if (status != STATUS_OK)
        return status;
    report_stage(&report->ops[i], start, image_bytes(image));
    if (pipeline->variants[i]->place == ON_GPU)
        note_gpu_times(pipeline, image_bytes(image), &report->gpu[i]);
    if (options->verify)
        status = verify(pipeline, i, image, &run, &result, error);
    image_free(image);
    *image = result;
    return status;
}

static enum status do_ops(const struct pipeline *pipeline, struct image *image,
                          struct report *report, struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < pipeline->options->op_count && status == STATUS_OK; i++)
        status = do_op(pipeline, i, image, report, error);
    return status;
}

static void note_image(const struct image *image, struct report *report)
{
    if (report->images++ == 0)
        report->shape = image_shape(image);
    report->pixels += image->view.width * image->view.height;
}

static enum status read_image(const struct pipeline *pipeline, struct source *source,
                              struct image *image, bool *found, struct report *report,
                              struct error *error)
{
    const double start = report_clock();
    const enum status status =
        source_next(source, halo_before(pipeline->options, 0), image, found, error);

    if (status == STATUS_OK && *found) {
        note_image(image, report);
        report_stage(&report->read, start, image_bytes(image));
    }
    return status;
}

static enum status put_image(struct writer *writer, const struct image *image,
                             struct report *report, struct error *error)
{
    const double start = report_clock();
    const enum status status = writer_put(writer, image, error);

    report->format = writer->sink.format;
    report_stage(&report->write, start, image_bytes(image));
    return status;
}

static enum status commit(struct writer *writer, struct report *report, struct error *error)
{
    const double start = report_clock();
    const enum status status = output_commit(&writer->output, error);

    report_stage(&report->write, start, 0);
    return status;
}

/* Every image of the open source, into an output that is opened once the first has been read: a bad
 * input leaves no trace. */
static enum status take_images(const struct pipeline *pipeline, struct source *source,
                               const char *path, bool same_format, struct report *report,
                               struct error *error)
{
    struct writer writer = {0};
    struct image image;
    bool found;
    enum status status = read_image(pipeline, source, &image, &found, report, error);

    if (status == STATUS_OK)
        status = writer_open(&writer, pipeline->options, path, same_format, error);
    while (status == STATUS_OK && found) {
        status = writer_check(&writer, &image, error);
        if (status == STATUS_OK)
            status = do_ops(pipeline, &image, report, error);
        if (status == STATUS_OK)
            status = put_image(&writer, &image, report, error);
        image_free(&image);
        if (status == STATUS_OK)
            status = read_image(pipeline, source, &image, &found, report, error);
    }
    image_free(&image);
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
