/* SPDX-License-Identifier: MIT */
#include "src/app/stream/operations/operations.h"
#include "src/app/dispatch/arrays.h"
#include "src/files/codec/rows/encoding.h"
#include "src/lib/base/clock.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"
#include "src/lib/image/compare.h"
#include "src/lib/image/halo.h"
#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"

struct operations operations_of(const struct stream_context *context, const struct image *header)
{
    const struct dispatch_options *work = &context->options->work;
    const struct image file = image_file_header(header);

    return (struct operations){
        .ops = work->ops,
        .count = work->op_count,
        .request = {.filter = context->weights,
                    .weighted = header->mask ||
                                (work->filter.alpha == ALPHA_WEIGHTED && image_has_alpha(header)),
                    .threads = 1,
                    .block = work->block,
                    .isa = work->isa},
        .combines = work->combines,
        .kept_channels = image_has_alpha(&file) + (header->mask != NULL),
    };
}

/* Of an operation that is a filter of arrays. */
static enum status check_arrays(const struct operations *operations, const struct combine *combine,
                                const struct image *file, const char *name, struct error *error)
{
    if (operations->request.weighted)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: has alpha, by which derivatives, volumes and results in floats are not "
                    "weighted; use --alpha separate",
                    name);
    if (combine->kind != COMBINE_SMOOTH && image_has_associated_alpha(file))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: the image has colours multiplied by alpha (associated alpha), which have "
                    "no derivatives of their own; save it with unassociated alpha",
                    name);
    if (combine->floats && image_has_alpha(file) && file->maxval != FLOAT_SAMPLES)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: has alpha, which --float does not convert; leave --float out, or save it "
                    "without alpha",
                    name);
    return STATUS_OK;
}

/* Of samples that are floats. */
static enum status check_floats(const struct operations *operations, int i, const char *name,
                                struct error *error)
{
    if (operations->ops[i] == OP_SMOOTH && operations->request.weighted)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: floats with alpha are not weighted by it; use --alpha separate", name);
    if (combine_at(operations->combines, i) && !combine_by_arrays(operations->combines, i))
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: sharpen and difference are for integers, and its samples are floats; "
                    "smooth it, and subtract with another program",
                    name);
    if (combine_at(operations->combines, i) &&
        operations->combines[i].offset != COMBINE_MIDDLE_OFFSET)
        return fail(error, STATUS_USAGE,
                    "%s: its samples are floats, which have a sign: leave out --offset", name);
    return STATUS_OK;
}

/* A larger offset would make every sample maxval. */
static enum status check_offset(const struct combine *combine, uint32_t maxval, const char *name,
                                struct error *error)
{
    if (!combine || combine->offset <= (int32_t)maxval)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: --offset %d is above its maxval of %u; use 0 to %u, or leave it out for %u",
                name, (int)combine->offset, (unsigned)maxval, (unsigned)maxval,
                (unsigned)(maxval + 1) / 2);
}

enum status operations_check(const struct stream_context *context,
                             const struct operations *operations, const struct image *header,
                             const char *name, struct error *error)
{
    const struct image file = image_file_header(header);
    bool floats = header->maxval == FLOAT_SAMPLES;
    enum status status = STATUS_OK;

    if (header->mask && image_has_alpha(&file) &&
        context->options->work.filter.alpha == ALPHA_WEIGHTED)
        return fail(error, STATUS_UNSUPPORTED,
                    "%s: it has alpha, and --mask would be a second weight; use --alpha separate, "
                    "and the mask weighs alpha too",
                    name);
    for (int i = 0; i < operations->count && status == STATUS_OK; i++) {
        const struct combine *combine = combine_at(operations->combines, i);

        if (combine_by_arrays(operations->combines, i))
            status = check_arrays(operations, combine, &file, name, error);
        if (status == STATUS_OK)
            status = floats ? check_floats(operations, i, name, error)
                            : check_offset(combine, header->maxval, name, error);
        floats = floats || (combine && combine->floats);
    }
    return status;
}

bool operations_only_move(const struct stream_context *context)
{
    const struct dispatch_options *work = &context->options->work;
    bool only = true;

    for (int i = 0; i < work->op_count; i++)
        only = only && !combine_at(work->combines, i) &&
               (work->ops[i] != OP_SMOOTH || filter_halo(&work->filter) == 0);
    return only;
}

/* *result has the shape; all else it has from *image. */
static void note_operations(const struct operations *operations, const struct image *image,
                            struct image *result)
{
    image_copy_kind(result, image);
    for (int i = 0; i < operations->count; i++)
        image_note_op(result, (enum op)operations->ops[i], chain_halo(operations, i));
}

struct image operations_result(const struct operations *operations, const struct image *header)
{
    struct shape shape = image_shape(header);
    struct image result;

    for (int i = 0; i < operations->count; i++)
        shape = chain_shape(operations, i, &shape);
    image_describe(&result, &shape);
    note_operations(operations, header, &result);
    return result;
}

/* The chain from *image, whose border is filled, to *result, which it allocates. */
static enum status make_chain(const struct operations *operations, const struct image *image,
                              struct chain *chain, struct image *result, struct error *error)
{
    const struct shape from = image_shape(image);
    const struct shape to = chain_make(operations, &from, chain);
    const enum status status = image_alloc(result, &to, 0, error);

    if (status != STATUS_OK)
        return status;
    note_operations(operations, image, result);
    chain->steps[0].job.src = image->view;
    chain->steps[chain->count - 1].job.dst = result->view;
    return STATUS_OK;
}

/* Makes *chain and *result of *image, whose border is filled; without `keep` the image is freed
 * once it is needed no more. The caller frees *result, also after a failure. */
static enum status run_chain(const struct stream_context *context,
                             const struct operations *operations, struct image *image, bool keep,
                             struct chain *chain, struct image *result, struct error *error)
{
    struct engine_plan plans[MAX_OPS];
    struct session *session = NULL;
    enum status status = make_chain(operations, image, chain, result, error);

    if (status != STATUS_OK)
        return status;
    chain->source = keep ? NULL : image;
    if (!operations->references)
        status = dispatcher_take(context->dispatcher, &session, error);
    if (status == STATUS_OK)
        status = dispatcher_plan(context->dispatcher, session, chain, plans, error);
    if (status == STATUS_OK)
        status = dispatcher_run(context->dispatcher, session, chain, error);
    dispatcher_give(context->dispatcher, session);
    return status;
}

/* Compares the result with that of the references, by one thread. last: the variant of the last
 * operation. Frees the source. */
static enum status verify(const struct stream_context *context, const struct operations *operations,
                          const struct variant *last, struct image *source,
                          const struct image *result, struct error *error)
{
    const char *chain = operations->count > 1 ? "the chain that ends with " : "";
    const int32_t bytes = result->view.sample_bytes;
    struct operations references = *operations;
    struct difference difference = {0};
    struct image wanted;
    struct chain unused;
    enum status status;

    references.references = true;
    references.request.threads = 1;
    status = run_chain(context, &references, source, false, &unused, &wanted, error);
    if (status == STATUS_OK)
        difference = compare_views(&wanted.view, &result->view);
    image_free(&wanted);
    if (status != STATUS_OK || difference.samples == 0)
        return status;
    return fail(error, STATUS_DIFFERENT,
                "%s%s %s differs from the reference in %lld sample%s; the first is column %lld, "
                "row %lld, channel %d: %s, where the reference has %s; nothing was written; use "
                "--variant reference until it is fixed; in a build folder, "
                "'tests/variants/check_variants %s_%s' finds a case to replay",
                chain, op_word(last->op), last->name, (long long)difference.samples,
                difference.samples == 1 ? "" : "s", (long long)difference.x,
                (long long)difference.y, (int)difference.channel,
                sample_text(difference.got, bytes).text, sample_text(difference.wanted, bytes).text,
                op_word(last->op), last->name);
}

enum status operations_run(const struct stream_context *context,
                           const struct operations *operations, struct image *image,
                           struct report *report, struct error *error)
{
    const bool verified = context->options->verify;
    struct chain chain;
    struct image result;
    enum status status;
    double start = clock_seconds();

    if (operations->ops[0] == OP_SMOOTH) {
        halo_fill(image, operations->request.filter->edge, operations->request.filter->halo_x,
                  operations->request.filter->halo_y);
        add_time_since(&start, &report->times.halo);
    }
    status = run_chain(context, operations, image, verified, &chain, &result, error);
    if (status == STATUS_OK)
        bands_times_add_chain(&report->times, &chain, clock_seconds() - start);
    if (status == STATUS_OK && verified)
        status = verify(context, operations, chain.steps[chain.count - 1].variant, image, &result,
                        error);
    image_free(image);
    *image = result;
    return status;
}

/* --- The memory that operations on a whole image take. */

/* a + b, or INT64_MAX if that is too large. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

int64_t view_needs(const struct view *view, int64_t halo)
{
    const struct shape shape = {view->width, view->height, view->channels,
                                view->sample_bytes == 4   ? FLOAT_SAMPLES
                                : view->sample_bytes == 2 ? UINT16_MAX
                                                          : UINT8_MAX};

    return image_needs(&shape, halo);
}

int64_t job_needs(const struct operations *operations, int i, const struct variant *variant,
                  const struct job *job)
{
    const struct combine *combine = combine_by_arrays(operations->combines, i);

    return combine ? arrays_bytes(combine, job) : (int64_t)scratch_bytes_of(variant, job);
}

/* Bytes of operation i's source with its border, and of its result with that of the next. */
static int64_t source_needs(const struct chain *chain, int i)
{
    const struct job *job = &chain->steps[i].job;

    return view_needs(&job->src, job->halo);
}

static int64_t result_needs(const struct chain *chain, int i)
{
    const struct job *job = &chain->steps[i].job;

    return i + 1 < chain->count ? source_needs(chain, i + 1) : view_needs(&job->dst, 0);
}

/* The peak over the operations one after the other, each by its reference or by what was chosen.
 * kept: of an image that stays in memory besides: the first source, or the references' rival. */
static int64_t peak_of(const struct stream_context *context, const struct operations *operations,
                       const struct chain *chain, bool references, int64_t kept)
{
    int64_t peak = 0;

    for (int i = 0; i < chain->count; i++) {
        const struct variant *chosen = dispatcher_variant(context->dispatcher, i);
        const struct variant *variant = references ? registry_reference(chosen->op) : chosen;
        int64_t bytes = add(source_needs(chain, i), result_needs(chain, i));

        if (variant->backend == ON_CPU)
            bytes = add(bytes, job_needs(operations, i, variant, &chain->steps[i].job));
        if (i > 0 || references)
            bytes = add(bytes, kept);
        peak = max(peak, bytes);
    }
    return peak;
}

/* A GPU needs the source and the result at once. --verify keeps the source while the result is
 * computed, and the result while the reference is. */
static int64_t bytes_with(const struct stream_context *context, const struct operations *operations,
                          const struct image *header)
{
    const struct shape shape = image_shape(header);
    const bool verify = context->options->verify;
    int64_t source, result, peak;
    struct chain chain;

    chain_make(operations, &shape, &chain);
    source = source_needs(&chain, 0);
    result = result_needs(&chain, chain.count - 1);
    peak = peak_of(context, operations, &chain, false, verify ? source : 0);
    if (dispatcher_uses_gpu(context->dispatcher))
        peak = max(peak, add(source, result));
    if (verify)
        peak = max(peak, peak_of(context, operations, &chain, true, result));
    return peak;
}

int64_t operations_needs(const struct stream_context *context, struct operations *operations,
                         const struct image *header, int64_t each)
{
    int *const threads = &operations->request.threads;
    int64_t bytes;

    *threads = context->threads + 1;
    do {
        --*threads;
        bytes = add(bytes_with(context, operations, header), *threads * each);
    } while (*threads > 1 && bytes > context->budget->limit);
    return bytes;
}
