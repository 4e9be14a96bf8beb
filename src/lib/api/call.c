/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "kernels/common/arrays.h"
#include "kernels/common/numbers.h"
#include "src/lib/api/filter.h"
#include "src/lib/filter/registry.h"

#include <string.h>

void call_begin(struct call *call, const struct arguments *asked, enum op op)
{
    const struct view pixel = {.width = 1, .height = 1, .channels = 1, .sample_bytes = 1};

    call->context = asked->context;
    call->op = op;
    call->backend = asked->src->memory == SMOOTHIMG_CUDA ? ON_GPU : ON_CPU;
    call->on_device_too =
        call->backend == ON_CPU && asked->context->chose_device && asked->context->gpu;
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
    enum status (*const run)(struct call * call, struct error * error) =
        on_gpu ? run_on_device : run_on_host;
    enum status status = STATUS_OK;

    if (call->outer.count == 0)
        return run(call, error);
    /* A chosen variant may refuse some images for their alignment. Planning all images first finds
     * a refusal before any image is computed. */
    if (on_gpu && call->context->variant)
        status = at_all_places(call, plan_on_device, error);
    return status == STATUS_OK ? at_all_places(call, run, error) : status;
}

/* --- The plans of the context's last calls, and whether a new request can reuse one of them. */

#define PLACE_UNIT 16 /* bytes: GPU plans depend on the images' addresses modulo this */

enum status plans_reserve(struct plans *plans, struct error *error)
{
    int64_t most = (int64_t)array_engine.state_bytes;
    enum status status = STATUS_OK;

    for (const struct variant *const *row = registry; *row; row++)
        for (int i = 0; i < (*row)->count; i++)
            most = max(most, (int64_t)(*row)->engines[i].state_bytes);
    for (int i = 0; i < KEPT_PLANS && status == STATUS_OK; i++) {
        struct plan *plan = &plans->known[i].plan;

        status = memory_need(&plan->state, &plan->room, (size_t)most, "a plan", error);
    }
    return status;
}

static bool are_alike_views(const struct view *a, const struct view *b)
{
    return a->width == b->width && a->stride_bytes == b->stride_bytes &&
           a->channels == b->channels && a->sample_bytes == b->sample_bytes;
}

static bool are_alike_places(const struct request *a, const struct request *b)
{
    return (uintptr_t)a->src.origin % PLACE_UNIT == (uintptr_t)b->src.origin % PLACE_UNIT &&
           (uintptr_t)a->dst.origin % PLACE_UNIT == (uintptr_t)b->dst.origin % PLACE_UNIT;
}

static bool are_alike_arrays(const struct array *a, const struct array *b, int axes)
{
    return a->type == b->type &&
           memcmp(a->strides, b->strides, (size_t)axes * sizeof *a->strides) == 0;
}

static bool are_alike_jobs(const struct array_job *a, const struct array_job *b)
{
    const size_t bytes = (size_t)a->axes * sizeof *a->shape;

    return a->taps == b->taps && a->terms == b->terms && a->axes == b->axes &&
           memcmp(a->shape, b->shape, bytes) == 0 && memcmp(a->first, b->first, bytes) == 0 &&
           memcmp(a->extent, b->extent, bytes) == 0 &&
           are_alike_arrays(&a->src, &b->src, a->axes) &&
           are_alike_arrays(&a->dst, &b->dst, a->axes) && a->exact_only == b->exact_only &&
           a->threads == b->threads && a->isa == b->isa;
}

/* True if a plan for request a can also be used for request b. Compares only the numbers of rows
 * and the samples around the images. On the host a plan that smooths can also be used for fewer
 * rows, and for any samples around them (struct piece). But for less than half as many rows another
 * engine may be faster. */
static bool serves_rows(const struct call *call, const struct request *a, const struct request *b)
{
    if (call->op == OP_SMOOTH && call->backend == ON_CPU)
        return b->src.height <= a->src.height && 2 * b->src.height >= a->src.height;
    return a->src.height == b->src.height && a->dst.height == b->dst.height &&
           memcmp(&a->beside, &b->beside, sizeof a->beside) == 0;
}

/* True if the requests agree in all but what other functions compare. is_for() compares the filter,
 * by its number; serves_rows() the number of rows and the samples around images; are_alike_places()
 * the addresses of images. */
static bool are_alike(const struct request *a, const struct request *b)
{
    if (a->arrays && b->arrays)
        return are_alike_jobs(a->arrays, b->arrays);
    return a->arrays == b->arrays && a->weights_x == b->weights_x && a->weights_y == b->weights_y &&
           are_alike_views(&a->src, &b->src) && are_alike_views(&a->dst, &b->dst) &&
           a->images == b->images && a->src_apart == b->src_apart && a->dst_apart == b->dst_apart &&
           a->maxval == b->maxval && a->threads == b->threads && a->block == b->block &&
           a->isa == b->isa;
}

static bool is_for(const struct known *known, const struct call *call,
                   const struct request *request)
{
    return known->made && known->op == call->op && known->backend == call->backend &&
           known->filter == call->filter && known->variant == call->context->variant &&
           are_alike(&known->plan.request, request) &&
           serves_rows(call, &known->plan.request, request) &&
           (call->backend == ON_CPU || are_alike_places(&known->plan.request, request));
}

/* Plans a request for images with the variant that smoothimg_choose has set, if that variant is for
 * the call's operation and backend (CPU or GPU); else with the fastest variant that does not
 * refuse. Other arrays have a single engine (implementation) on each backend, whatever variant is
 * chosen. */
static enum status plan(const struct call *call, const struct request *request, struct plan *plan,
                        struct error *error)
{
    const char *name = call->context->variant;
    const struct variant *variant = NULL;
    struct variant named = {.op = OP_SMOOTH, .backend = call->backend, .count = 1};
    enum status status;

    if (request->arrays) {
        named.engines = call->backend == ON_GPU ? &array_device_engine : &array_engine;
        named.name = named.engines->name;
        return plan_make(&named, request, plan, error);
    }
    if (name && registry_variant(call->op, name, &named) && named.backend == call->backend &&
        named.count > 0)
        return plan_make(&named, request, plan, error);
    while ((variant = registry_best(call->op, call->backend, variant))) {
        status = plan_make(variant, request, plan, error);
        if (status != STATUS_UNSUPPORTED)
            return status;
    }
    return STATUS_UNSUPPORTED; /* *error has the reason of the variant that refused last */
}

enum status plans_find(struct call *call, const struct request *request, struct error *error)
{
    struct plans *plans = &call->context->plans;
    struct known *known = plans->known;
    struct request kept = *request;
    enum status status = STATUS_OK;

    while (known < plans->known + KEPT_PLANS && !is_for(known, call, request))
        known++;
    if (known == plans->known + KEPT_PLANS) {
        known = &plans->known[plans->next];
        plans->next = (plans->next + 1) % KEPT_PLANS;
        if (request->arrays) {
            known->arrays = *request->arrays;
            kept.arrays = &known->arrays;
        }
        status = plan(call, &kept, &known->plan, error);
        known->made = status == STATUS_OK;
        known->op = call->op;
        known->backend = call->backend;
        known->variant = call->context->variant;
        known->filter = call->filter;
    }
    if (request->arrays)
        memcpy(known->arrays.result, request->arrays->result, sizeof known->arrays.result);
    call->plan = &known->plan;
    if (status == STATUS_OK)
        call->context->chosen = known->plan.engine->name;
    return status;
}
