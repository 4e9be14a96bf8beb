/* SPDX-License-Identifier: MIT */
#include "src/app/stream/operations.h"

#include "src/lib/base/clock.h"
#include "src/lib/image/compare.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/halo.h"
#include "src/lib/filter/registry.h"
#include "src/lib/filter/run.h"

int64_t halo_before(const struct dispatch_options *work, int i)
{
    return i < work->op_count && work->ops[i] == OP_SMOOTH ? filter_halo(&work->filter) : 0;
}

/* The weights of operation i, or NULL if it has none. */
static const struct filter_weights *weights_at(const struct stream_context *context, int i)
{
    return context->options->work.ops[i] == OP_SMOOTH ? context->weights : NULL;
}

bool weighs_at(const struct dispatch_options *work, int i, const struct image *image)
{
    return work->ops[i] == OP_SMOOTH && work->filter.alpha == ALPHA_WEIGHTED &&
           image_has_alpha(image);
}

/* a + b, or INT64_MAX if that is too large. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Bytes that a run of the variant takes beside its source: its result and scratch memory. */
static int64_t run_bytes(const struct stream_context *context, int i, const struct variant *variant,
                         const struct shape *shape, bool weighted, int64_t dst_halo, int threads)
{
    const struct shape result = run_result_shape(variant->op, shape);
    struct image src, dst;
    struct job job = {.maxval = shape->maxval, .weighted = weighted, .threads = threads};

    job_set_filter(&job, weights_at(context, i));
    image_describe(&src, shape);
    image_describe(&dst, &result);
    job.src = src.view;
    job.dst = dst.view;
    return add(image_needs(&result, dst_halo), variant->backend == ON_CPU && variant->scratch_bytes
                                                   ? (int64_t)variant->scratch_bytes(&job)
                                                   : 0);
}

static int64_t bytes_with(const struct stream_context *context, const struct image *header,
                          int threads)
{
    const struct dispatch_options *work = &context->options->work;
    struct shape now = image_shape(header);
    int64_t peak = image_needs(&now, halo_before(work, 0));

    for (int i = 0; i < work->op_count; i++) {
        const struct variant *variant = dispatcher_variant(context->dispatcher, i);
        const struct variant *reference = registry_reference(variant->op);
        const bool weighted = weighs_at(work, i, header);
        int64_t bytes =
            add(image_needs(&now, halo_before(work, i)),
                run_bytes(context, i, variant, &now, weighted, halo_before(work, i + 1), threads));

        if (context->options->verify)
            bytes = add(bytes, run_bytes(context, i, reference, &now, weighted, 0, threads));
        peak = bytes > peak ? bytes : peak;
        now = run_result_shape(variant->op, &now);
    }
    return peak;
}

int64_t operations_needs(const struct stream_context *context, const struct image *header,
                         int64_t each, int *threads)
{
    int64_t bytes;

    *threads = context->threads + 1;
    do {
        --*threads;
        bytes = add(bytes_with(context, header, *threads), *threads * each);
    } while (*threads > 1 && bytes > context->budget->limit);
    return bytes;
}

/* Runs the reference on the same source, and compares. */
static enum status verify(const struct variant *variant, const struct image *src,
                          const struct filter_weights *filter, const struct job *job,
                          const struct image *dst, struct error *error)
{
    const struct run_options run = {.filter = filter,
                                    .weighted = job->weighted,
                                    .threads = job->threads,
                                    .block = job->block,
                                    .isa = job->isa};
    struct image wanted;
    struct difference difference;
    const enum status status =
        run_variant(registry_reference(variant->op), src, &run, 0, &wanted, error);

    if (status != STATUS_OK)
        return status;
    difference = compare_views(&wanted.view, &dst->view);
    image_free(&wanted);
    if (difference.samples == 0)
        return STATUS_OK;
    return fail(error, STATUS_DIFFERENT,
                "%s %s differs from the reference in %lld sample%s; the first is column %lld, row "
                "%lld, channel %d: %u, where the reference has %u; nothing was written; please "
                "report this, and use --variant reference until it is fixed",
                op_word(variant->op), variant->name, (long long)difference.samples,
                difference.samples == 1 ? "" : "s", (long long)difference.x,
                (long long)difference.y, (int)difference.channel, (unsigned)difference.got,
                (unsigned)difference.wanted);
}

/* Computes operation i on all of *src, by a GPU or the threads, see dispatcher_take. Allocates
 * *dst, with room for a border of dst_halo pixels. */
static enum status compute(const struct stream_context *context, int i, const struct image *src,
                           struct job *job, int64_t dst_halo, struct image *dst,
                           struct executor *executor, struct gpu_times *times, struct error *error)
{
    const enum op op = (enum op)context->options->work.ops[i];
    const struct shape from = image_shape(src), shape = run_result_shape(op, &from);
    enum status status = image_alloc(dst, &shape, dst_halo, error);

    if (status != STATUS_OK)
        return status;
    image_copy_kind(dst, src);
    image_note_op(dst, op, job->halo);
    job->dst = dst->view;
    status = dispatcher_take(context->dispatcher, i, false, executor, error);
    if (status == STATUS_OK) {
        status = dispatcher_run(context->dispatcher, executor, job, times, error);
        dispatcher_give(context->dispatcher, executor);
    }
    if (status != STATUS_OK)
        image_free(dst);
    return status;
}

/* Replaces *image by the result of operation i. */
static enum status do_op(const struct stream_context *context, int i, int threads,
                         struct image *image, struct report *report, struct error *error)
{
    const struct dispatch_options *work = &context->options->work;
    struct job job = {
        .src = image->view,
        .maxval = image->maxval,
        .weighted = weighs_at(work, i, image),
        .threads = threads,
        .block = work->block,
        .isa = work->isa,
    };
    double start = clock_seconds();
    struct executor executor;
    struct gpu_times times;
    struct image result;
    enum status status;

    job_set_filter(&job, weights_at(context, i));
    if (work->ops[i] == OP_SMOOTH) {
        halo_fill(image, work->filter.edge, job.halo_x, job.halo_y);
        report_stage(&report->halo, start, image_bytes(image));
        start = clock_seconds();
    }
    status = compute(context, i, image, &job, halo_before(work, i + 1), &result, &executor, &times,
                     error);
    if (status != STATUS_OK)
        return status;
    report_stage(&report->ops[i], start, image_bytes(image));
    report_gpu(report, i, &times);
    op_work_add(&report->work[i], executor.variant, 1);
    if (context->options->verify)
        status = verify(executor.variant, image, weights_at(context, i), &job, &result, error);
    image_free(image);
    *image = result;
    return status;
}

enum status operations_run(const struct stream_context *context, int threads, double input_bytes,
                           struct image *image, struct report *report, struct error *error)
{
    const int count = context->options->work.op_count;
    enum status status = STATUS_OK;

    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = do_op(context, i, threads, image, report, error);
        dispatcher_note(context->dispatcher, input_bytes / count, 0);
    }
    return status;
}
