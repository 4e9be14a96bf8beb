/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "kernels/common/worker_pool.h"
#include "src/lib/filter/registry.h"

struct call call_of(struct smoothimg_context *context, enum op op, enum smoothimg_memory memory,
                    void *stream)
{
    const struct view pixel = {.width = 1, .height = 1, .channels = 1, .sample_bytes = 1};

    return (struct call){.context = context,
                         .op = op,
                         .backend = memory == SMOOTHIMG_CUDA ? ON_GPU : ON_CPU,
                         .request = {.src = pixel,
                                     .dst = pixel,
                                     .images = 1,
                                     .threads = 1,
                                     .isa = context->isa,
                                     .block = context->block},
                         .stream = stream};
}

int call_threads(const struct call *call)
{
    const struct smoothimg_context *context = call->context;

    /* The engine for arrays that are no images starts its own threads. */
    if (call->request.arrays || context->threads == 1)
        return 1;
    if (context->every_thread)
        return context->threads;
    return useful_threads(call->op, &call->request, call->request.images, context->threads,
                          worker_pool_is_awake());
}

enum status call_memory(const struct call *call, int thread, struct error *error)
{
    struct memory *memory = &call->context->memory[thread];

    return memory_need(&memory->data, &memory->bytes, (size_t)call->memory_bytes,
                       "a thread to work in", error);
}

/* Plans a request for arrays that are no images. CPU and GPU each have a single engine
 * (implementation) for them, whatever variant is chosen. */
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
    const struct variant *variant = NULL;
    struct variant named;
    enum status status;

    if (request->arrays)
        return plan_arrays(call->backend, request, plan, error);
    if (name && registry_variant(call->op, name, &named) && named.backend == call->backend)
        return plan_make(&named, request, plan, error);
    while ((variant = registry_best(call->op, call->backend, variant))) {
        status = plan_make(variant, request, plan, error);
        if (status != STATUS_UNSUPPORTED)
            return status;
    }
    return STATUS_UNSUPPORTED; /* *error has the reason of the variant that refused last */
}

static enum status at_all_places(struct call *call, const struct dims *outer,
                                 enum status (*act)(struct call *call, struct error *error),
                                 struct error *error)
{
    int64_t place[ARRAY_AXES] = {0};
    char *src = call->request.src.origin, *dst = call->request.dst.origin;
    enum status status;
    bool more;

    do {
        status = act(call, error);
        more = dims_advance(outer, 0, place, &src, &dst);
        call->request.src.origin = src;
        call->request.dst.origin = dst;
    } while (status == STATUS_OK && more);
    return status;
}

enum status call_run(struct call *call, const struct dims *outer, struct error *error)
{
    const bool on_gpu = call->backend == ON_GPU;
    enum status status = STATUS_OK;

    /* A chosen variant may refuse some images for their alignment. Planning all images first finds
     * a refusal before any image is computed. */
    if (on_gpu && call->context->variant && outer->count > 0)
        status = at_all_places(call, outer, plan_on_device, error);
    if (status == STATUS_OK)
        status = at_all_places(call, outer, on_gpu ? run_on_device : run_on_host, error);
    return status;
}
