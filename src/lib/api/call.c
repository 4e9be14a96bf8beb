/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "src/lib/filter/registry.h"

const struct variant *call_variant(const struct call *call, const struct job *job,
                                   struct error *error)
{
    const char *name = call->context->variant;
    const struct registered *row = name ? registry_named(call->op, name) : NULL;
    const struct variant *variant =
        row && row->variant ? row->variant : registry_best(call->op, ON_CPU, NULL);
    const char *refusal = NULL;

    while (variant && variant->refuses && (refusal = variant->refuses(job)))
        variant = name ? NULL : registry_best(call->op, ON_CPU, variant);
    if (!variant)
        fail(error, STATUS_UNSUPPORTED, "%s: no variant can do this: %s", op_word(call->op),
             refusal ? refusal : "there is none");
    return variant;
}

struct job call_job(const struct call *call, int64_t i, int64_t first, int64_t last)
{
    struct job job = {.src = image_view(&call->src, i, first, last),
                      .dst = image_view(&call->dst, i, first, last),
                      .maxval = call->src.maxval,
                      .threads = call->threads_each};

    if (call->filter) {
        job.halo = call->filter->filter.halo;
        job.weights = call->filter->weights;
        job.weighted = call->filter->weighted;
    }
    return job;
}

enum status call_run(const struct call *call, const struct variant *variant, const struct job *job,
                     struct error *error)
{
    const char *failure = variant->run(job);

    return failure ? fail(error, STATUS_DEVICE, "%s: %s", op_word(call->op), failure) : STATUS_OK;
}
