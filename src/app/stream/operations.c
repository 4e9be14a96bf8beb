/* SPDX-License-Identifier: MIT */
#include "operations.h"

#include "clock.h"
#include "compare.h"
#include "gpu.h"
#include "halo.h"
#include "registry.h"
#include "run.h"

int64_t halo_before(const struct options *options, int i)
{
    return i < options->op_count && options->ops[i] == OP_SMOOTH ? options->filter.halo : 0;
}

bool weighs_at(const struct options *options, int i, const struct image *image)
{
    return options->ops[i] == OP_SMOOTH && options->filter.alpha == ALPHA_WEIGHTED &&
           image_has_alpha(image);
}

/* A sum that stays at the largest number. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* What a run of the variant takes beside its source: its result, and what it works in. */
static int64_t run_bytes(const struct pipeline *pipeline, int i, const struct variant *variant,
                         const struct shape *shape, bool weighted, int64_t dst_halo, int threads)
{
    const struct options *options = pipeline->options;
    const struct shape result = run_result_shape(variant->op, shape);
    struct image src, dst;
    struct job job = {.maxval = shape->maxval,
                      .weighted = weighted,
                      .halo = halo_before(options, i),
                      .weights = pipeline->weights,
                      .threads = threads};

    image_describe(&src, shape);
    image_describe(&dst, &result);
    job.src = src.view;
    job.dst = dst.view;
    return add(image_needs(&result, dst_halo), variant->place == ON_CPU && variant->scratch_bytes
                                                   ? (int64_t)variant->scratch_bytes(&job)
                                                   : 0);
}

static int64_t bytes_with(const struct pipeline *pipeline, const struct image *about, int threads)
{
    const struct options *options = pipeline->options;
    struct shape now = image_shape(about);
    int64_t widest = image_needs(&now, halo_before(options, 0));

    for (int i = 0; i < options->op_count; i++) {
        const struct variant *variant = pipeline->variants[i];
        const struct variant *reference = registry_reference(variant->op);
        const bool weighted = weighs_at(options, i, about);
        int64_t bytes = add(
            image_needs(&now, halo_before(options, i)),
            run_bytes(pipeline, i, variant, &now, weighted, halo_before(options, i + 1), threads));

        if (options->verify)
            bytes = add(bytes, run_bytes(pipeline, i, reference, &now, weighted, 0, threads));
        widest = bytes > widest ? bytes : widest;
        now = run_result_shape(variant->op, &now);
    }
    return widest;
}

int64_t operations_needs(const struct pipeline *pipeline, const struct image *about, int64_t each,
                         int *threads)
{
    int64_t bytes;

    *threads = (int)pipeline->options->threads + 1;
    do {
        --*threads;
        bytes = add(bytes_with(pipeline, about, *threads), *threads * each);
    } while (*threads > 1 && bytes > pipeline->budget->limit);
    return bytes;
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
static enum status do_op(const struct pipeline *pipeline, int i, int threads, struct image *image,
                         struct report *report, struct error *error)
{
    const struct options *options = pipeline->options;
    const bool smooth = options->ops[i] == OP_SMOOTH;
    const struct run_options run = {
        .weights = smooth ? pipeline->weights : NULL,
        .halo = halo_before(options, i),
        .weighted = weighs_at(options, i, image),
        .threads = threads,
        .block = (int)options->block,
    };
    double start = clock_seconds();
    struct image result;
    enum status status;

    if (smooth) {
        halo_fill(image, options->filter.edge);
        report_stage(&report->halo, start, image_bytes(image));
        start = clock_seconds();
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

enum status operations_run(const struct pipeline *pipeline, int threads, struct image *image,
                           struct report *report, struct error *error)
{
    enum status status = STATUS_OK;

    for (int i = 0; i < pipeline->options->op_count && status == STATUS_OK; i++)
        status = do_op(pipeline, i, threads, image, report, error);
    return status;
}
