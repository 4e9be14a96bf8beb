/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "kernels/common/worker_pool.h"
#include "src/lib/api/filter.h"

void call_begin(struct call *call, const struct arguments *asked, enum op op)
{
    const struct view pixel = {.width = 1, .height = 1, .channels = 1, .sample_bytes = 1};

    call->context = asked->context;
    call->op = op;
    call->backend = asked->src->memory == SMOOTHIMG_CUDA ? ON_GPU : ON_CPU;
    call->request = (struct request){.src = pixel,
                                     .dst = pixel,
                                     .images = 1,
                                     .threads = 1,
                                     .isa = asked->context->isa,
                                     .block = asked->context->block};
    call->outer.count = 0;
    call->filter = asked->filter ? asked->filter->number : 0;
    call->stream = asked->stream;
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

static enum status at_all_places(struct call *call,
                                 enum status (*act)(struct call *call, struct error *error),
                                 struct error *error)
{
    int64_t place[ARRAY_AXES] = {0};
    char *src = call->request.src.origin, *dst = call->request.dst.origin;
    enum status status;
    bool more;

    do {
        status = act(call, error);
        more = dims_advance(&call->outer, 0, place, &src, &dst);
        call->request.src.origin = src;
        call->request.dst.origin = dst;
    } while (status == STATUS_OK && more);
    return status;
}

enum status call_run(struct call *call, struct error *error)
{
    const bool on_gpu = call->backend == ON_GPU;
    enum status status = STATUS_OK;

    /* A chosen variant may refuse some images for their alignment. Planning all images first finds
     * a refusal before any image is computed. */
    if (on_gpu && call->context->variant && call->outer.count > 0)
        status = at_all_places(call, plan_on_device, error);
    if (status == STATUS_OK)
        status = at_all_places(call, on_gpu ? run_on_device : run_on_host, error);
    return status;
}
