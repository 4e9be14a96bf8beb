/* SPDX-License-Identifier: MIT */
#include "src/app/stream/operations/operations.h"

#include "src/app/stream/compute/combine.h"
#include "kernels/common/clock.h"

#include <stdlib.h>
#include <string.h>

/* --- Which images the operations accept. */

/* Refuses an --offset above maxval: the offset is the result's sample where the difference or
 * Laplacian is 0, and that sample would be clamped to maxval. Refuses any offset for floats, which
 * are signed and need none. */
static enum status check_offset(const struct work_options *work, bool floats, uint32_t maxval,
                                const char *name, struct error *error)
{
    if (floats)
        return fail(error, STATUS_USAGE,
                    "%s: its samples are floats, which have a sign: leave out --offset", name);
    if (work->offset <= (int64_t)maxval)
        return STATUS_OK;
    return fail(error, STATUS_USAGE,
                "%s: --offset %lld is above its maxval of %u; use 0 to %u, or leave it out for %u",
                name, (long long)work->offset, (unsigned)maxval, (unsigned)maxval,
                (unsigned)(maxval + 1) / 2);
}

/* Checks that operation i can be done to the image. `floats` tells whether the samples that the
 * operation gets are floats. */
static enum status check_op(const struct operations *operations, int i, bool floats,
                            const struct image *header, const char *name, struct error *error)
{
    const struct work_options *work = operations->work;
    const struct image file = image_file(header);
    const bool smooths = operation_smooths(work->ops[i]), derives = operation_derives(work->ops[i]);
    const bool alpha = image_alpha(&file) == STRAIGHT_ALPHA, weighted = operations->weighted;
    const bool arrays = derives || (smooths && (work->floats || work->filter.z.halo > 0));
    const struct {
        bool so;
        const char *why;
    } refused[] = {
        {header->mask && alpha && work->filter.alpha == ALPHA_WEIGHTED,
         "it has alpha, and --mask would be a second weight; use --alpha separate, and the mask "
         "weighs alpha too"},
        {arrays && weighted,
         header->mask ? "results in floats are not weighted by --mask; leave it out"
                      : "derivatives, volumes and results in floats are not weighted by alpha; use "
                        "--alpha separate"},
        {derives && image_alpha(&file) == ASSOCIATED_ALPHA,
         "the image has colours multiplied by alpha (associated alpha), which have no derivatives "
         "of their own; save it with unassociated alpha"},
        {arrays && work->floats && alpha && file.maxval != FLOAT_SAMPLES,
         "has alpha, which --float does not convert; leave --float out, or save it without alpha"},
        {floats && smooths && weighted,
         "floats with alpha are not weighted by it; use --alpha separate"},
        {(floats || work->floats) && smooths && !derives && work->ops[i] != OPERATION_SMOOTH,
         "sharpen and difference are for integers, and make integers; smooth it, and subtract with "
         "another program"},
    };

    for (size_t row = 0; row < sizeof refused / sizeof *refused; row++)
        if (refused[row].so)
            return fail(error, STATUS_UNSUPPORTED, "%s: %s", name, refused[row].why);
    return work->offset == MIDDLE_OFFSET || (floats && !derives)
               ? STATUS_OK
               : check_offset(work, floats, header->maxval, name, error);
}

enum status operations_open(struct operations *operations, const struct stream_context *context,
                            const struct image *header, const char *name, struct error *error)
{
    const struct work_options *work = &context->options->work;
    const int64_t reach = operation_smooths(work->ops[0]) ? work->filter.y.halo : 0;
    const struct image file = image_file(header);
    bool floats = header->maxval == FLOAT_SAMPLES;
    enum status status = STATUS_OK;

    *operations = (struct operations){
        .computer = context->computer,
        .work = work,
        .weighted = header->mask ||
                    (work->filter.alpha == ALPHA_WEIGHTED && image_alpha(header) == STRAIGHT_ALPHA),
        .kept_channels = (image_alpha(&file) == STRAIGHT_ALPHA) + (header->mask != NULL),
        .reach = reach,
        .wraps = reach > 0 && work->filter.edge == EDGE_WRAP,
    };
    for (int i = 0; i < work->op_count && status == STATUS_OK; i++) {
        status = check_op(operations, i, floats, header, name, error);
        floats = floats || (operation_smooths(work->ops[i]) && work->floats);
    }
    return status == STATUS_OK && operations->weighted
               ? computer_make_weighted(operations->computer, error)
               : status;
}

/* --- The shape and the header of results. */

struct shape operations_shape(const struct operations *operations, int i,
                              const struct shape *source)
{
    const int operation = operations->work->ops[i];
    struct shape shape = *source;

    if (operation == OPERATION_TRANSPOSE) {
        shape.width = source->height;
        shape.height = source->width;
    }
    if (operation_smooths(operation) && operations->work->floats)
        shape.maxval = FLOAT_SAMPLES;
    return shape;
}

struct image operations_result(const struct operations *operations, const struct image *header)
{
    const struct work_options *work = operations->work;
    struct shape shape = image_shape(header);
    struct image result;

    for (int i = 0; i < work->op_count; i++)
        shape = operations_shape(operations, i, &shape);
    image_lay_out(&result, &shape);
    image_copy_kind(&result, header);
    for (int i = 0; i < work->op_count; i++) {
        result.changes.transposed ^= work->ops[i] == OPERATION_TRANSPOSE;
        result.changes.reversed ^= work->ops[i] == OPERATION_REVERSE;
    }
    return result;
}

/* --- Calls of the library, each for one operation. */

/* The arguments of one call of the library, which does one operation on a part (struct part). The
 * arrays have the axes pages, rows, pixels and samples. */
struct call {
    struct array {
        struct smoothimg_array array;
        int64_t shape[VOLUME_AXES], strides[VOLUME_AXES];
    } src, dst;
    int64_t first[VOLUME_AXES]; /* where dst begins in src */
    /* How many derivatives are stored apart from the result, in an array that the caller sets as
     * dst's data: derivatives of integers are signed, but the result's type is unsigned. 0: the
     * library writes the result itself. */
    int64_t derivatives;
};

static void describe(const struct operations *operations, int i, const struct part *part,
                     struct call *call)
{
    const bool derives = operation_derives(operations->work->ops[i]);

    *call = (struct call){.first = {part->page, part->row}};
    for (int end = 0; end <= 1; end++) {
        const struct image *image = end ? &part->dst : &part->src;
        const struct view *view = &image->view;
        const int64_t pages = end ? part->dst_pages : part->src_pages, rows = view->height / pages;
        const int32_t bytes = view->sample_bytes;
        struct array *array = end ? &call->dst : &call->src;

        *array = (struct array){.array = {.data = view->origin,
                                          .axes = VOLUME_AXES,
                                          .shape = array->shape,
                                          .strides = array->strides,
                                          .type = bytes == 4   ? SMOOTHIMG_F32
                                                  : bytes == 2 ? SMOOTHIMG_U16
                                                               : SMOOTHIMG_U8,
                                          .maxval = image->maxval}, /* 0 for floats */
                                .shape = {pages, rows, view->width, view->channels},
                                .strides = {rows * view->stride_bytes, view->stride_bytes,
                                            (int64_t)view->channels * bytes, bytes}};
    }
    if (derives && part->dst.maxval != FLOAT_SAMPLES) {
        call->derivatives = part->dst.view.height * part->dst.view.width * part->dst.view.channels;
        call->dst.array.strides = NULL;
        call->dst.array.type = SMOOTHIMG_I32;
        call->dst.array.maxval = 0;
    }
}

/* Returns the library's working memory for the call, on the CPU. */
static int64_t library_bytes(const struct operations *operations, int i, int threads,
                             const struct call *call)
{
    struct smoothimg_context *context;
    int64_t bytes = 0;

    /* With too little memory even to measure, returns more bytes than any limit allows. Other
     * failures are left to operations_compute, which reports them. */
    if (smoothimg_open(threads, &context) != SMOOTHIMG_OK ||
        smoothimg_choose(context, operations->computer->variants[i]) != SMOOTHIMG_OK ||
        smoothimg_measure(context, operations->computer->filters[i][operations->weighted],
                          &call->src.array, &call->dst.array, call->first,
                          &bytes) == SMOOTHIMG_NO_MEMORY)
        bytes = INT64_MAX;
    smoothimg_close(context);
    return bytes;
}

double operations_bytes(const struct operations *operations, int i, int threads,
                        const struct part *part)
{
    struct call call;
    double bytes;

    if (!operation_smooths(operations->work->ops[i]))
        return 0;
    describe(operations, i, part, &call);
    bytes = (double)call.derivatives * sizeof(int32_t);
    if (!operations->computer->on_gpu)
        bytes += (double)library_bytes(operations, i, threads, &call);
    return bytes;
}

static enum status call_library(const struct operations *operations, int i,
                                struct smoothimg_context *context, const struct call *call,
                                struct error *error)
{
    static const int turned[VOLUME_AXES] = {0, 2, 1, 3}, both[VOLUME_AXES] = {0, 1, 1, 0};
    const struct smoothimg_array *src = &call->src.array, *dst = &call->dst.array;
    const int operation = operations->work->ops[i];
    /* With a halo of 0, and with no channel that weights the others, integers smoothed to integers
     * stay the same, and are only copied. */
    const bool copies = operation == OPERATION_SMOOTH &&
                        filter_halo(&operations->work->filter) == 0 && !operations->weighted &&
                        src->type != SMOOTHIMG_F32 && dst->type != SMOOTHIMG_F32;

    return computer_status(
        operations->computer, context,
        operation_smooths(operation) && !copies
            ? smoothimg_filter(context, operations->computer->filters[i][operations->weighted], src,
                               dst, call->first, NULL)
            : smoothimg_move(context, operation == OPERATION_TRANSPOSE ? turned : NULL,
                             operation == OPERATION_REVERSE ? both : NULL, src, dst, NULL),
        error);
}

static enum status combine(const struct operations *operations, int i, int threads,
                           const struct part *part, const int32_t *derivatives, struct error *error)
{
    const struct work_options *work = operations->work;
    const int64_t page_rows = part->src.view.height / part->src_pages;
    struct combination combination = {.operation = (enum operation)work->ops[i],
                                      .amount = (int32_t)work->amount,
                                      .offset = (int32_t)work->offset,
                                      .maxval = part->dst.maxval,
                                      .kept = operations->kept_channels,
                                      .src = part->src.view,
                                      .dst = part->dst.view,
                                      .derivatives = derivatives};

    combination.src.origin = image_row(&part->src, part->page * page_rows + part->row);
    return combine_samples(&combination, threads, error);
}

void op_times_add(struct op_times *sum, const struct op_times *op, double scale)
{
    sum->gpu.upload += scale * op->gpu.upload;
    sum->gpu.kernel += scale * op->gpu.kernel;
    sum->gpu.download += scale * op->gpu.download;
    sum->compute += scale * op->compute;
    if (op->variant) {
        sum->variant = op->variant;
        sum->engine = op->engine;
        sum->on_gpu = op->on_gpu;
    }
}

enum status operations_compute(const struct operations *operations, int i, bool reference,
                               struct smoothimg_context *context, int threads,
                               const struct part *part, struct op_times *times, struct error *error)
{
    const double start = clock_seconds();
    const int operation = operations->work->ops[i];
    struct op_times done = {.variant = reference ? "reference" : operations->computer->variants[i]};
    int32_t *derivatives = NULL;
    struct call call;
    enum status status = STATUS_OK;

    describe(operations, i, part, &call);
    if (call.derivatives > 0) {
        call.dst.array.data = derivatives = malloc((size_t)call.derivatives * sizeof *derivatives);
        if (!derivatives)
            status = fail(error, STATUS_NO_MEMORY, "no memory for derivatives");
    }
    smoothimg_choose(context, done.variant);
    if (status == STATUS_OK)
        status = call_library(operations, i, context, &call, error);
    if (status == STATUS_OK && operation_smooths(operation) && operation != OPERATION_SMOOTH)
        status = combine(operations, i, threads, part, derivatives, error);
    free(derivatives);
    done.engine = smoothimg_chosen(context);
    done.on_gpu = operations->computer->on_gpu && !reference;
    if (done.on_gpu)
        done.gpu = study_times(context);
    done.compute = clock_seconds() - start;
    if (status == STATUS_OK)
        op_times_add(times, &done, 1);
    return status;
}
