/* SPDX-License-Identifier: MIT */
#include "src/lib/api/device.h"

#include "kernels/common/engine.h"
#include "kernels/common/numbers.h"
#include "src/lib/api/device_plan.h"
#include "src/lib/gpu/arrays.h"
#include "src/lib/gpu/enqueue.h"
#include "src/lib/run/run.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_PLANS 8
#define ROW_UNIT 256                       /* bytes: alignment of a rehearsal's rows */
#define REHEARSED_BYTES ((int64_t)4 << 20) /* of the image that reserve_on_device runs on */

/* A plan, and what is alike in the calls that it serves. */
struct known_plan {
    enum op op;
    const char *variant;
    uint64_t filter;
    const struct variant *engine;
    struct images src, dst;
    bool made;
    struct device_plan plan;
};

struct device_plans {
    struct known_plan known[KEPT_PLANS];
    int next; /* to be replaced */
};

struct device_plans *device_plans_make(void)
{
    return calloc(1, sizeof(struct device_plans));
}

static bool are_alike(const struct images *a, const struct images *b)
{
    return a->width == b->width && a->height == b->height && a->pitch == b->pitch &&
           a->count == b->count && a->stride == b->stride && a->channels == b->channels &&
           a->type == b->type && a->maxval == b->maxval &&
           memcmp(&a->beside, &b->beside, sizeof a->beside) == 0 &&
           (uintptr_t)a->data % PLACE_UNIT == (uintptr_t)b->data % PLACE_UNIT;
}

static bool serves(const struct known_plan *known, const struct call *call)
{
    return known->made && known->op == call->op && known->filter == call->filter &&
           known->variant == call->context->variant && known->engine == call->engine &&
           are_alike(&known->src, &call->src) && are_alike(&known->dst, &call->dst);
}

/* *plan: that of an earlier call which was alike, or a new one in the place of the oldest. */
static enum status find_plan(const struct call *call, const struct device_plan **plan,
                             struct error *error)
{
    struct device_plans *plans = call->context->plans;
    struct known_plan *known = plans->known;
    enum status status;

    while (known < plans->known + KEPT_PLANS && !serves(known, call))
        known++;
    if (known == plans->known + KEPT_PLANS) {
        known = &plans->known[plans->next];
        status = device_plan_make(call, &known->plan, error);
        known->made = status == STATUS_OK;
        if (!known->made)
            return status;
        known->op = call->op, known->filter = call->filter;
        known->variant = call->context->variant, known->engine = call->engine;
        known->src = call->src, known->dst = call->dst;
        plans->next = (plans->next + 1) % KEPT_PLANS;
    }
    *plan = &known->plan;
    return STATUS_OK;
}

static enum status run_plan(const struct call *call, const struct device_plan *plan,
                            struct gpu_call *run, struct error *error)
{
    const struct variant *engine = plan->engine.engine;
    const struct job unplanned = device_job(call);
    struct job job = engine_plan_job(&plan->engine, &unplanned);
    const enum status status = gpu_need(call->context->gpu, run, plan->bytes, error);

    if (status != STATUS_OK)
        return status;
    job.scratch = run->memory;
    job.stream = run->stream;
    return run_outcome(engine, run_stack(engine, &job), error);
}

/* Ends what gpu_begin began. Returns the first failure, which is in *error. */
static enum status end(struct gpu *gpu, const struct gpu_call *run, enum status status,
                       struct error *error)
{
    struct error unused;

    if (status == STATUS_OK)
        return gpu_end(gpu, run, error);
    gpu_end(gpu, run, &unused);
    return status;
}

enum status run_on_device(const struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    const struct device_plan *plan;
    struct gpu_call run;
    enum status status = gpu_begin(gpu, call->stream, &run, error);

    if (status != STATUS_OK)
        return status;
    status = find_plan(call, &plan, error);
    if (status == STATUS_OK) {
        call->context->chosen = plan->engine.engine->name;
        status = run_plan(call, plan, &run, error);
    }
    return end(gpu, &run, status, error);
}

enum status run_array_on_device(struct smoothimg_context *context, const struct array_job *job,
                                void *stream, struct error *error)
{
    struct gpu_call run;
    enum status status = gpu_begin(context->gpu, stream, &run, error);
    const char *failure = NULL;

    if (status != STATUS_OK)
        return status;
    status = gpu_need(context->gpu, &run, array_device_scratch_bytes(job), error);
    if (status == STATUS_OK)
        failure = array_device_run(job, run.memory, stream);
    if (failure)
        status = fail(error, STATUS_DEVICE, "the GPU failed: filtering an array: %s", failure);
    return end(context->gpu, &run, status, error);
}

enum status reserve_array_on_device(struct smoothimg_context *context, const struct array_job *job,
                                    struct error *error)
{
    struct gpu_call run;
    enum status status = gpu_begin(context->gpu, gpu_stream(context->gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    status = gpu_need(context->gpu, &run, array_device_scratch_bytes(job), error);
    return end(context->gpu, &run, status, error);
}

/* The call on an image of limited height in `memory`, which is source and result, by the engine of
 * the larger one. */
static struct call rehearsal_of(const struct call *call, const struct variant *engine, void *memory)
{
    struct call small = *call;
    const int64_t row = small.src.width * pixel_bytes_of(call);

    small.engine = engine;
    small.src.data = memory;
    small.src.count = 1;
    small.src.height = min(small.src.height, max(REHEARSED_BYTES / row, 1));
    small.src.pitch = round_up(row, ROW_UNIT);
    small.src.beside = (struct beside){0};
    small.dst = small.src;
    if (call->op == OP_TRANSPOSE) {
        small.dst.width = small.src.height;
        small.dst.height = small.src.width;
        small.dst.pitch = round_up(small.src.height * pixel_bytes_of(call), ROW_UNIT);
    }
    return small;
}

static enum status rehearse(const struct call *call, const struct variant *engine,
                            struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct call small = rehearsal_of(call, engine, NULL);
    const int64_t bytes =
        max(small.src.height * small.src.pitch, small.dst.height * small.dst.pitch);
    void *memory;
    enum status status = gpu_array_make(gpu, bytes, "a rehearsal", &memory, error);

    if (status != STATUS_OK)
        return gpu_lacked_memory(gpu) ? (error->status = STATUS_NO_MEMORY) : status;
    small = rehearsal_of(call, engine, memory);
    small.stream = gpu_stream(gpu);
    status = run_on_device(&small, error);
    if (status == STATUS_OK)
        status = gpu_wait(gpu, error);
    gpu_array_free(gpu, memory);
    return status;
}

/* Moves the image, or stack, to where its rows and images are `odd` bytes off multiples of 256. */
static void place_off(struct images *image, int64_t odd)
{
    image->data = (void *)(uintptr_t)(ROW_UNIT + odd); /* no sample is read */
    image->pitch = round_up(image->pitch, ROW_UNIT) + odd;
    image->stride = round_up(image->stride, ROW_UNIT) + odd;
}

/* The most memory that such a call needs: of one image or of all, and wherever they lie that the
 * chosen variant computes. */
static enum status most_bytes(const struct call *call, int64_t *bytes, struct error *error)
{
    const int64_t sample = image_view(&call->src, 0, 0, 1).sample_bytes;
    enum status status = STATUS_OK;

    *bytes = 0;
    for (int kind = 0; kind < 4 && status == STATUS_OK; kind++) {
        struct call other = *call;
        struct device_plan plan;

        place_off(&other.src, kind & 1 ? sample : 0);
        place_off(&other.dst, kind & 1 ? sample : 0);
        other.src.count = other.dst.count = kind & 2 ? call->src.count : 1;
        status = device_plan_make(&other, &plan, error);
        if (status == STATUS_OK)
            *bytes = max(*bytes, plan.bytes);
        else if (status == STATUS_UNSUPPORTED && kind & 1)
            status = STATUS_OK;
    }
    return status;
}

enum status reserve_on_device(const struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    const struct device_plan *plan;
    struct gpu_call run;
    int64_t bytes;
    enum status status = gpu_begin(gpu, gpu_stream(gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    status = most_bytes(call, &bytes, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, bytes, error);
    if (status == STATUS_OK)
        status = find_plan(call, &plan, error);
    if (status == STATUS_OK)
        status = rehearse(call, plan->engine.engine, error);
    return end(gpu, &run, status, error);
}
