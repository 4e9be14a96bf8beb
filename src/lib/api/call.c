/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "kernels/common/worker_pool.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"

enum backend call_backend(const struct call *call)
{
    return call->src.memory == SMOOTHIMG_CUDA ? ON_GPU : ON_CPU;
}

int64_t pixel_bytes_of(const struct call *call)
{
    return call->src.channels * image_view(&call->src, 0, 0, 1).sample_bytes;
}

int call_threads(const struct call *call)
{
    const struct request request = call_request(call, 0, call->src.height);

    if (call->context->every_thread)
        return call->context->threads;
    return useful_threads(call->op, &request, call->src.count, call->context->threads,
                          worker_pool_is_awake());
}

struct request call_request(const struct call *call, int64_t first, int64_t last)
{
    struct request request = call->asked;

    request.isa = call->context->isa;
    request.block = call->context->block;
    if (request.arrays)
        return request;
    request.src = image_view(&call->src, 0, first, last);
    request.dst = image_view(&call->dst, 0, first, last);
    if (call->op == OP_TRANSPOSE)
        request.dst.height = call->dst.height;
    request.beside = call->src.beside;
    request.beside.above += first;
    request.beside.below += call->src.height - last;
    request.maxval = call->src.maxval;
    request.skip_nan = request.skip_nan && request.maxval == FLOAT_SAMPLES;
    return request;
}

/* Arrays that are no images have one engine on each backend, whatever the variant. */
static enum status plan_arrays(enum backend backend, const struct request *request,
                               struct plan *plan, struct error *error)
{
    const struct engine *engine = backend == ON_GPU ? &array_device_engine : &array_engine;
    const struct variant variant = {
        .op = OP_SMOOTH, .name = engine->name, .backend = backend, .engines = engine, .count = 1};

    return plan_make(&variant, request, plan, error);
}

enum status call_plan(const struct call *call, const struct request *request, struct plan *plan,
                      struct error *error)
{
    const char *name = call->context->variant;
    const enum backend backend = call_backend(call);
    const struct variant *variant = NULL;
    struct variant named;
    enum status status;

    if (request->arrays)
        return plan_arrays(backend, request, plan, error);
    if (name && registry_variant(call->op, name, &named) && named.backend == backend)
        return plan_make(&named, request, plan, error);
    do {
        variant = registry_best(call->op, backend, variant);
        if (!variant)
            return STATUS_UNSUPPORTED; /* *error is of the last one */
        status = plan_make(variant, request, plan, error);
    } while (status == STATUS_UNSUPPORTED);
    return status;
}

enum status call_at_each(struct call *call, const struct dims *outer,
                         enum status (*run)(struct call *call, struct error *error),
                         struct error *error)
{
    int64_t place[ARRAY_AXES] = {0};
    char *src = call->src.data, *dst = call->dst.data;
    enum status status;

    do {
        call->src.data = src;
        call->dst.data = dst;
        status = run(call, error);
    } while (status == STATUS_OK && dims_advance(outer, 0, place, &src, &dst));
    return status;
}
