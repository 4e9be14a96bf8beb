/* SPDX-License-Identifier: MIT */
/* The memory that operations on a whole image take. */
#include "src/app/stream/operations/operations.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/filter/registry.h"

/* a + b, or INT64_MAX if that is too large. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t view_needs(const struct view *view, uint32_t maxval, int64_t halo)
{
    const struct shape shape = {view->width, view->height, view->channels, maxval};

    return image_needs(&shape, halo);
}

/* Bytes of operation i's source with its border, and of its result with that of the next. */
static int64_t source_needs(const struct chain *chain, int i)
{
    const struct job *job = &chain->steps[i].job;

    return view_needs(&job->src, job->maxval, job->halo);
}

static int64_t result_needs(const struct chain *chain, int i)
{
    const struct job *job = &chain->steps[i].job;

    return i + 1 < chain->count ? source_needs(chain, i + 1)
                                : view_needs(&job->dst, job->maxval, 0);
}

/* The peak over the operations one after the other, each by its reference or by what was chosen.
 * kept: of an image that stays in memory besides: the first source, or the references' rival. */
static int64_t peak_of(const struct stream_context *context, const struct chain *chain,
                       bool references, int64_t kept)
{
    int64_t peak = 0;

    for (int i = 0; i < chain->count; i++) {
        const struct variant *chosen = dispatcher_variant(context->dispatcher, i);
        const struct variant *variant = references ? registry_reference(chosen->op) : chosen;
        int64_t bytes = add(source_needs(chain, i), result_needs(chain, i));

        if (variant->backend == ON_CPU)
            bytes = add(bytes, (int64_t)scratch_bytes_of(variant, &chain->steps[i].job));
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
    peak = peak_of(context, &chain, false, verify ? source : 0);
    if (dispatcher_uses_gpu(context->dispatcher))
        peak = max(peak, add(source, result));
    if (verify)
        peak = max(peak, peak_of(context, &chain, true, result));
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
