/* SPDX-License-Identifier: MIT */
#include "src/app/stream/operations.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/clock.h"
#include "src/lib/image/compare.h"
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

/* Fills the border that operation i needs around its source. */
static void fill_border(const struct stream_context *context, int i, struct image *image)
{
    const struct filter_weights *weights = weights_at(context, i);

    if (weights)
        halo_fill(image, context->options->work.filter.edge, weights->halo_x, weights->halo_y);
}

/* a + b, or INT64_MAX if that is too large. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Bytes that operation i takes by the variant: its source with its border, its result with that of
 * the next, and scratch memory. */
static int64_t run_bytes(const struct stream_context *context, int i, const struct variant *variant,
                         const struct shape *shape, bool weighted, int threads)
{
    const struct dispatch_options *work = &context->options->work;
    const struct shape result = run_result_shape(variant->op, shape);
    struct image src, dst;
    struct job job = {.maxval = shape->maxval, .weighted = weighted, .threads = threads};

    job_set_filter(&job, weights_at(context, i));
    image_describe(&src, shape);
    image_describe(&dst, &result);
    job.src = src.view;
    job.dst = dst.view;
    return add(add(image_needs(shape, halo_before(work, i)),
                   image_needs(&result, halo_before(work, i + 1))),
               variant->backend == ON_CPU && variant->scratch_bytes
                   ? (int64_t)variant->scratch_bytes(&job)
                   : 0);
}

/* The peak over the operations one after the other, each by its reference or by what was chosen.
 * kept: of an image that stays in memory besides: the first source, or the references' rival. */
static int64_t peak_of(const struct stream_context *context, const struct image *header,
                       bool reference, int64_t kept, int threads)
{
    const struct dispatch_options *work = &context->options->work;
    struct shape now = image_shape(header);
    int64_t peak = 0;

    for (int i = 0; i < work->op_count; i++) {
        const enum op op = (enum op)work->ops[i];
        const struct variant *variant =
            reference ? registry_reference(op) : dispatcher_variant(context->dispatcher, i);
        const int64_t bytes =
            add(run_bytes(context, i, variant, &now, weighs_at(work, i, header), threads),
                i > 0 || reference ? kept : 0);

        peak = bytes > peak ? bytes : peak;
        now = run_result_shape(op, &now);
    }
    return peak;
}

/* Of the image, and of the result of all operations on it. */
static int64_t source_bytes(const struct stream_context *context, const struct image *header)
{
    const struct shape shape = image_shape(header);

    return image_needs(&shape, halo_before(&context->options->work, 0));
}

static int64_t result_bytes(const struct stream_context *context, const struct image *header)
{
    struct shape shape = image_shape(header);

    for (int i = 0; i < context->options->work.op_count; i++)
        shape = run_result_shape((enum op)context->options->work.ops[i], &shape);
    return image_needs(&shape, 0);
}

/* A GPU needs the source and the result at once. --verify keeps the source while the result is
 * computed, and the result while the reference is. */
static int64_t bytes_with(const struct stream_context *context, const struct image *header,
                          int threads)
{
    const bool verify = context->options->verify;
    const int64_t source = source_bytes(context, header), result = result_bytes(context, header);
    int64_t peak = peak_of(context, header, false, verify ? source : 0, threads);

    if (dispatcher_may_use_gpu(context->dispatcher))
        peak = max(peak, add(source, result));
    if (verify)
        peak = max(peak, peak_of(context, header, true, result, threads));
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

/* Replaces *image by what the references of all operations make of it. */
static enum status run_references(const struct stream_context *context, struct image *image,
                                  struct error *error)
{
    const struct dispatch_options *work = &context->options->work;
    enum status status = STATUS_OK;

    for (int i = 0; i < work->op_count && status == STATUS_OK; i++) {
        const struct run_options run = {.filter = weights_at(context, i),
                                        .weighted = weighs_at(work, i, image),
                                        .threads = 1,
                                        .isa = work->isa};
        struct image result;

        if (i > 0)
            fill_border(context, i, image);
        status = run_variant(registry_reference((enum op)work->ops[i]), image, &run,
                             halo_before(work, i + 1), &result, error);
        if (status == STATUS_OK) {
            image_free(image);
            *image = result;
        }
    }
    return status;
}

/* Compares the result with that of the references, which replaces *source. last: the variant of the
 * last operation. */
static enum status verify(const struct stream_context *context, const struct variant *last,
                          struct image *source, const struct image *result, struct error *error)
{
    const char *chain = context->options->work.op_count > 1 ? "the chain that ends with " : "";
    struct difference difference;
    const enum status status = run_references(context, source, error);

    if (status != STATUS_OK)
        return status;
    difference = compare_views(&source->view, &result->view);
    if (difference.samples == 0)
        return STATUS_OK;
    return fail(error, STATUS_DIFFERENT,
                "%s%s %s differs from the reference in %lld sample%s; the first is column %lld, "
                "row %lld, channel %d: %u, where the reference has %u; nothing was written; please "
                "report this, and use --variant reference until it is fixed",
                chain, op_word(last->op), last->name, (long long)difference.samples,
                difference.samples == 1 ? "" : "s", (long long)difference.x,
                (long long)difference.y, (int)difference.channel, (unsigned)difference.got,
                (unsigned)difference.wanted);
}

/* The steps from *image, whose border is filled, to *result, which it allocates. */
static enum status make_chain(const struct stream_context *context, int threads,
                              const struct image *image, struct chain *chain, struct image *result,
                              struct error *error)
{
    const struct dispatch_options *work = &context->options->work;
    struct shape shape = image_shape(image);
    struct image plane = *image;
    enum status status;

    *chain = (struct chain){.count = work->op_count, .edge = work->filter.edge};
    for (int i = 0; i < chain->count; i++) {
        struct job *job = &chain->steps[i].job;

        shape = run_result_shape((enum op)work->ops[i], &shape);
        *job = (struct job){.src = plane.view,
                            .maxval = shape.maxval,
                            .weighted = weighs_at(work, i, image),
                            .threads = threads,
                            .block = work->block,
                            .isa = work->isa};
        job_set_filter(job, weights_at(context, i));
        image_describe(&plane, &shape);
        job->dst = plane.view;
    }
    status = image_alloc(result, &shape, 0, error);
    chain->steps[chain->count - 1].job.dst = result->view;
    return status;
}

static void note_result(const struct dispatch_options *work, const struct chain *chain,
                        const struct image *image, struct image *result)
{
    image_copy_kind(result, image);
    for (int i = 0; i < chain->count; i++)
        image_note_op(result, (enum op)work->ops[i], chain->steps[i].job.halo);
}

/* The waiting for a GPU, and all else that is not of a single operation, counts as the first. */
static void note_times(const struct chain *chain, double seconds, size_t bytes,
                       struct report *report)
{
    double rest = seconds;

    for (int i = 0; i < chain->count; i++)
        rest -= chain->seconds[i] + chain->halo_seconds[i];
    for (int i = 0; i < chain->count; i++) {
        const bool filled = chain->halo_seconds[i] > 0;

        report_stage(&report->halo, chain->halo_seconds[i], filled ? bytes : 0);
        report_stage(&report->ops[i], chain->seconds[i] + (i == 0 ? rest : 0), bytes);
        report_gpu(report, i, &chain->steps[i].times);
        op_work_add(&report->work[i], chain->steps[i].variant, 1);
    }
}

enum status operations_run(const struct stream_context *context, int threads, double input_bytes,
                           struct image *image, struct report *report, struct error *error)
{
    const struct dispatch_options *work = &context->options->work;
    const size_t bytes = image_bytes(image);
    double start = clock_seconds();
    struct executor executor;
    struct chain chain;
    struct image result;
    enum status status;

    if (work->ops[0] == OP_SMOOTH) {
        fill_border(context, 0, image);
        report_stage(&report->halo, clock_seconds() - start, bytes);
    }
    start = clock_seconds();
    status = make_chain(context, threads, image, &chain, &result, error);
    if (status != STATUS_OK)
        return status;
    note_result(work, &chain, image, &result);
    chain.source = context->options->verify ? NULL : image;
    status = dispatcher_take(context->dispatcher, false, &executor, error);
    if (status == STATUS_OK) {
        status = dispatcher_run(context->dispatcher, &executor, &chain, error);
        dispatcher_give(context->dispatcher, &executor);
    }
    if (status == STATUS_OK)
        note_times(&chain, clock_seconds() - start, bytes, report);
    if (status == STATUS_OK && context->options->verify)
        status = verify(context, chain.steps[chain.count - 1].variant, image, &result, error);
    if (status != STATUS_OK) {
        image_free(&result);
        return status;
    }
    image_free(image);
    *image = result;
    dispatcher_note(context->dispatcher, input_bytes, 0);
    return STATUS_OK;
}
