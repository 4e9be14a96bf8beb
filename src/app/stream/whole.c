/* SPDX-License-Identifier: MIT */
#include "src/app/stream/whole.h"

#include "kernels/common/numbers.h"
#include "src/lib/image/compare.h"

/* --- The memory. */

static struct pages shape_of_pages(const struct shape *shape)
{
    struct image image;

    image_place(&image, shape, 0, NULL);
    return pages_of(&image);
}

/* Bytes of operation i, of which each thread has the same: raises *fixed and *each to them. kept:
 * of an image that is in memory besides. */
static void add_operation(const struct operations *operations, int i, bool reference,
                          const struct shape *from, const struct shape *to, double kept,
                          double *fixed, double *each)
{
    const struct part part = {.src = shape_of_pages(from), .dst = shape_of_pages(to)};
    const double bytes =
        (double)image_needs(from, 0) + (double)image_needs(to, 0) + (i > 0 || reference ? kept : 0);

    *fixed = *fixed > bytes ? *fixed : bytes;
    if (!reference) {
        const double working = operations_bytes(operations, i, 1, &part);

        *each = *each > working ? *each : working;
    }
}

/* One operation after the other. --verify keeps the source while the result is computed, and the
 * result while the reference is. */
struct whole_plan whole_plan_make(const struct stream_context *context,
                                  const struct operations *operations, const struct image *header,
                                  int64_t each, int64_t limit)
{
    const bool verify = context->options->verify;
    const struct image result = operations_result(operations, header);
    const struct shape last = image_shape(&result), first = image_shape(header);
    double fixed = 0, working = 0, threads, bytes;

    for (int reference = 0; reference <= verify; reference++) {
        struct shape from = first;
        const double kept = verify ? (double)image_needs(reference ? &last : &first, 0) : 0;

        for (int i = 0; i < operations->work->op_count; i++) {
            const struct shape to = operations_shape(operations, i, &from);

            add_operation(operations, i, reference, &from, &to, kept, &fixed, &working);
            from = to;
        }
    }
    working += (double)each;
    threads = working > 0 ? ((double)limit - fixed) / working : context->threads;
    threads = threads < 1 ? 1 : threads < context->threads ? threads : context->threads;
    bytes = fixed + (double)(int)threads * working;
    return (struct whole_plan){(int)threads, bytes < 0x1p62 ? (int64_t)bytes : INT64_MAX};
}

/* --- The run. */

/* Makes *result of *source by all operations; without `keep` the source is freed once it is needed
 * no more. The caller frees both, also after a failure. */
static enum status run_all(const struct operations *operations, bool references, bool keep,
                           struct smoothimg_context *library, int threads, struct image *source,
                           struct image *result, struct stage_times *times, struct error *error)
{
    enum status status = STATUS_OK;

    *result = (struct image){0};
    for (int i = 0; i < operations->work->op_count && status == STATUS_OK; i++) {
        struct image before = *result, *from = i == 0 ? source : &before;
        const struct shape shape = image_shape(from), to = operations_shape(operations, i, &shape);

        status = image_alloc(result, &to, 0, error);
        if (status == STATUS_OK) {
            const struct part part = {.src = pages_of(from), .dst = pages_of(result)};

            status = operations_compute(operations, i, references, library, threads, &part,
                                        &times->ops[i], error);
        }
        image_free(&before);
        if (!keep)
            image_free(source);
    }
    return status;
}

/* Compares the result with that of the references, by one thread. Frees the source. */
static enum status verify(const struct operations *operations, struct image *source,
                          const struct image *result, const struct stage_times *times,
                          struct error *error)
{
    const int last = operations->work->op_count - 1;
    const char *word = computer_op_word(operations->work->ops[last]),
               *name = times->ops[last].variant;
    const int32_t bytes = result->view.sample_bytes;
    struct smoothimg_context *library = NULL;
    struct stage_times unused = {0};
    struct difference difference = {0};
    struct image wanted = {0};
    enum status status =
        computer_status(operations->computer, NULL, smoothimg_open(1, &library), error);

    if (status == STATUS_OK)
        status = run_all(operations, true, false, library, 1, source, &wanted, &unused, error);
    if (status == STATUS_OK)
        difference = compare_views(&wanted.view, &result->view);
    image_free(&wanted);
    smoothimg_close(library);
    if (status != STATUS_OK || difference.samples == 0)
        return status;
    return fail(error, STATUS_DIFFERENT,
                "%s%s %s differs from the reference in %lld sample%s; the first is column %lld, "
                "row %lld, channel %d: %s, where the reference has %s; nothing was written; use "
                "--variant reference until it is fixed; in a build folder, "
                "'tests/variants/check_variants %s_%s' finds a case to replay",
                last > 0 ? "the chain that ends with " : "", word, name,
                (long long)difference.samples, difference.samples == 1 ? "" : "s",
                (long long)difference.x, (long long)difference.y, (int)difference.channel,
                sample_text(difference.got, bytes).text, sample_text(difference.wanted, bytes).text,
                word, name);
}

enum status whole_run(const struct stream_context *context, const struct operations *operations,
                      int threads, struct image *image, struct stage_times *times,
                      struct error *error)
{
    const bool verified = context->options->verify;
    struct image result = operations_result(operations, image);
    struct smoothimg_context *library;
    const struct image kind = result;
    enum status status = computer_lend(operations->computer, threads, &library, error);

    if (status == STATUS_OK)
        status =
            run_all(operations, false, verified, library, threads, image, &result, times, error);
    computer_give(operations->computer, library);
    if (status == STATUS_OK && verified)
        status = verify(operations, image, &result, times, error);
    image_copy_kind(&result, &kind);
    image_free(image);
    *image = result;
    return status;
}
