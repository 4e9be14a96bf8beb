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

int64_t operations_halo(const struct operations *operations, int i)
{
    return i < operations->count && operations->ops[i] == OP_SMOOTH
               ? filter_weights_halo(operations->request.filter)
               : 0;
}

enum edge operations_edge(const struct operations *operations)
{
    return operations->request.filter ? operations->request.filter->edge : EDGE_CLAMP;
}

int64_t operations_reach(const struct operations *operations)
{
    return operations->ops[0] == OP_SMOOTH ? operations->request.filter->halo_y : 0;
}

/* Of operation i's result. */
static struct shape result_shape(const struct operations *operations, int i,
                                 const struct shape *source)
{
    const struct combine *combine = combine_at(operations->combines, i);
    struct shape shape = run_result_shape((enum op)operations->ops[i], source);

    if (combine && combine->floats)
        shape.maxval = FLOAT_SAMPLES;
    return shape;
}

struct piece operations_piece(const struct operations *operations, int i, const struct shape *shape)
{
    const enum op op = (enum op)operations->ops[i];
    const struct shape to = result_shape(operations, i, shape);
    struct piece piece = {.index = i,
                          .combine = combine_at(operations->combines, i),
                          .kept_channels = operations->kept_channels};
    struct image src, dst;

    image_describe(&src, shape);
    image_describe(&dst, &to);
    piece.job = request_job(&operations->request, op, shape->maxval, src.view, dst.view);
    piece.job.threads = useful_threads(op, &piece.job, 1, piece.job.threads, false);
    return piece;
}

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
        image_note_op(result, (enum op)operations->ops[i], operations_halo(operations, i));
}

struct image operations_result(const struct operations *operations, const struct image *header)
{
    struct shape shape = image_shape(header);
    struct image result;

    for (int i = 0; i < operations->count; i++)
        shape = result_shape(operations, i, &shape);
    image_describe(&result, &shape);
    note_operations(operations, header, &result);
    return result;
}

/* Makes *result of *source, whose border it fills: by operation i, with room for the border that
 * the next needs. The caller frees it, also after a failure. */
static enum status run_one(const struct stream_context *context,
                           const struct operations *operations, int i, bool reference,
                           struct session *session, struct image *source, struct image *result,
                           struct bands_times *times, struct error *error)
{
    const struct filter_weights *filter = operations->request.filter;
    const struct shape from = image_shape(source), to = result_shape(operations, i, &from);
    struct piece piece = operations_piece(operations, i, &from);
    struct engine_plan plan;
    double start = clock_seconds();
    enum status status;

    if (operations->ops[i] == OP_SMOOTH) {
        halo_fill(source, filter->edge, filter->halo_x, filter->halo_y);
        add_time_since(&start, &times->halo);
    }
    status = image_alloc(result, &to, operations_halo(operations, i + 1), error);
    piece.reference = reference;
    piece.job.src = source->view;
    piece.job.dst = result->view;
    if (status == STATUS_OK)
        status = dispatcher_plan(context->dispatcher, session, &piece, &plan, error);
    if (status == STATUS_OK)
        status = dispatcher_run(context->dispatcher, session, &piece, error);
    if (status == STATUS_OK)
        bands_times_add_piece(times, &piece, clock_seconds() - start);
    return status;
}

/* Makes *result of *source by all operations; without `keep` the source is freed once it is needed
 * no more. The caller frees both, also after a failure. */
static enum status run_all(const struct stream_context *context,
                           const struct operations *operations, bool references, bool keep,
                           struct image *source, struct image *result, struct bands_times *times,
                           struct error *error)
{
    const struct image kind = *source;
    struct session *session = NULL;
    enum status status =
        references ? STATUS_OK : dispatcher_take(context->dispatcher, &session, error);

    *result = (struct image){0};
    for (int i = 0; i < operations->count && status == STATUS_OK; i++) {
        struct image before = *result;

        status = run_one(context, operations, i, references, session, i == 0 ? source : &before,
                         result, times, error);
        image_free(&before);
        if (!keep)
            image_free(source);
    }
    if (status == STATUS_OK)
        note_operations(operations, &kind, result);
    dispatcher_give(context->dispatcher, session);
    return status;
}

/* Compares the result with that of the references, by one thread. Frees the source. */
static enum status verify(const struct stream_context *context, const struct operations *operations,
                          struct image *source, const struct image *result, struct error *error)
{
    const struct variant *last = dispatcher_variant(context->dispatcher, operations->count - 1);
    const char *chain = operations->count > 1 ? "the chain that ends with " : "";
    const int32_t bytes = result->view.sample_bytes;
    struct operations references = *operations;
    struct bands_times unused = {0};
    struct difference difference = {0};
    struct image wanted;
    enum status status;

    references.request.threads = 1;
    status = run_all(context, &references, true, false, source, &wanted, &unused, error);
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
    struct image result;
    enum status status =
        run_all(context, operations, false, verified, image, &result, &report->times, error);

    if (status == STATUS_OK && verified)
        status = verify(context, operations, image, &result, error);
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

int64_t job_needs(const struct operations *operations, int i, const struct variant *variant,
                  const struct job *job)
{
    const struct combine *combine = combine_by_arrays(operations->combines, i);

    return combine ? arrays_bytes(combine, job) : (int64_t)scratch_bytes_of(variant, job);
}

/* The peak over the operations one after the other, each by its reference or by what was chosen.
 * kept: of an image that stays in memory besides: the first source, or the references' rival. */
static int64_t peak_of(const struct stream_context *context, const struct operations *operations,
                       const struct image *header, bool references, int64_t kept)
{
    struct shape from = image_shape(header);
    int64_t peak = 0;

    for (int i = 0; i < operations->count; i++) {
        const struct variant *chosen = dispatcher_variant(context->dispatcher, i);
        const struct variant *variant = references ? registry_reference(chosen->op) : chosen;
        const struct shape to = result_shape(operations, i, &from);
        const struct piece piece = operations_piece(operations, i, &from);
        int64_t bytes = add(image_needs(&from, operations_halo(operations, i)),
                            image_needs(&to, operations_halo(operations, i + 1)));

        if (variant->backend == ON_CPU)
            bytes = add(bytes, job_needs(operations, i, variant, &piece.job));
        if (i > 0 || references)
            bytes = add(bytes, kept);
        peak = max(peak, bytes);
        from = to;
    }
    return peak;
}

/* --verify keeps the source while the result is computed, and the result while the reference is. */
static int64_t bytes_with(const struct stream_context *context, const struct operations *operations,
                          const struct image *header)
{
    const struct shape shape = image_shape(header);
    const struct image made = operations_result(operations, header);
    const struct shape result = image_shape(&made);

    if (!context->options->verify)
        return peak_of(context, operations, header, false, 0);
    return max(peak_of(context, operations, header, false,
                       image_needs(&shape, operations_halo(operations, 0))),
               peak_of(context, operations, header, true, image_needs(&result, 0)));
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
