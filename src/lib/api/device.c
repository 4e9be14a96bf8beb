/* SPDX-License-Identifier: MIT */
/* Operations on what lies in a device's memory. */
#include "kernels/common/numbers.h"
#include "src/lib/api/images.h"
#include "src/lib/api/plans.h"
#include "src/lib/gpu/gpu.h"

#define ROW_UNIT 256                       /* bytes: alignment of a rehearsal's rows */
#define REHEARSED_BYTES ((int64_t)4 << 20) /* of the image that reserve_on_device runs on */

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

/* The call, by a plan, in memory for it. */
static enum status launch(const struct call *call, const struct plan *plan,
                          const struct gpu_call *run, struct error *error)
{
    struct piece piece = plan_piece(plan);

    piece.src.origin = call->request.src.origin;
    piece.dst.origin = call->request.dst.origin;
    piece.scratch = run->memory;
    piece.stream = run->stream;
    return run_outcome(call->op, ON_GPU, plan, plan_run(plan, &piece), error);
}

enum status run_on_device(struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct gpu_call run;
    enum status status = gpu_begin(gpu, call->stream, &run, error);

    if (status != STATUS_OK)
        return status;
    status = plans_find(call, &call->request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)call->plan->scratch_bytes, error);
    if (status == STATUS_OK)
        status = launch(call, call->plan, &run, error);
    return end(gpu, &run, status, error);
}

static int64_t rehearsal_pitch(int64_t pixels, const struct view *view)
{
    return round_up(pixels * view_pixel_bytes(view), ROW_UNIT);
}

/* The call on an image of limited height in `memory`, which is source and result. */
static struct call rehearsal_of(const struct call *call, void *memory)
{
    struct call small = *call;
    struct request *request = &small.request;
    struct view *src = &request->src;

    request->images = 1;
    request->beside = (struct beside){0};
    src->origin = memory;
    src->stride_bytes = rehearsal_pitch(src->width, src);
    src->height = min(src->height, max(REHEARSED_BYTES / (src->width * view_pixel_bytes(src)), 1));
    request->dst = *src;
    if (call->op == OP_TRANSPOSE) {
        request->dst.width = src->height;
        request->dst.height = src->width;
        request->dst.stride_bytes = rehearsal_pitch(src->height, src);
    }
    return small;
}

static int64_t rehearsal_bytes(const struct request *small)
{
    return max(small->src.height * small->src.stride_bytes,
               small->dst.height * small->dst.stride_bytes);
}

/* Runs the engine of a plan on a small image, by a plan for that. */
static enum status rehearse_in(const struct call *call, const struct plan *large, void *memory,
                               struct error *error)
{
    const struct call small = rehearsal_of(call, memory);
    const struct variant engine = {.op = call->op,
                                   .name = large->engine->name,
                                   .backend = ON_GPU,
                                   .engines = large->engine,
                                   .count = 1};
    struct gpu *gpu = call->context->gpu;
    struct gpu_call run;
    struct plan plan = {.state = NULL};
    enum status status = gpu_begin(gpu, gpu_stream(gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    status = plan_make(&engine, &small.request, &plan, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)plan.scratch_bytes, error);
    if (status == STATUS_OK)
        status = launch(&small, &plan, &run, error);
    plan_free(&plan);
    /* One that the engine does not compute has nothing to be rehearsed. */
    return end(gpu, &run, status == STATUS_UNSUPPORTED ? STATUS_OK : status, error);
}

static enum status rehearse(const struct call *call, const struct plan *plan, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    const struct call small = rehearsal_of(call, NULL);
    void *memory;
    enum status status =
        gpu_array_make(gpu, rehearsal_bytes(&small.request), "a rehearsal", &memory, error);

    if (status != STATUS_OK)
        return gpu_lacked_memory(gpu) ? (error->status = STATUS_NO_MEMORY) : status;
    status = rehearse_in(call, plan, memory, error);
    if (status == STATUS_OK)
        status = gpu_wait(gpu, error);
    gpu_array_free(gpu, memory);
    return status;
}

/* Moves the image, or stack, to where its rows and images are `odd` bytes off multiples of 256. */
static void place_off(struct view *image, int64_t *apart, int64_t odd)
{
    image->origin = (void *)(uintptr_t)(ROW_UNIT + odd); /* no sample is read */
    image->stride_bytes = round_up(image->stride_bytes, ROW_UNIT) + odd;
    *apart = round_up(*apart, ROW_UNIT) + odd;
}

/* A call that is alike but for where its images lie and how many there are: kind is 0 to 3. */
static struct call kind_of(const struct call *call, int kind)
{
    struct call other = *call;
    struct request *request = &other.request;
    const int64_t odd = kind & 1 ? request->src.sample_bytes : 0;

    place_off(&request->src, &request->src_apart, odd);
    place_off(&request->dst, &request->dst_apart, odd);
    request->images = kind & 2 ? request->images : 1;
    return other;
}

/* Plans the call, needs its memory, and rehearses: not of arrays, whose engine has no kernels that
 * it chooses among. odd: what the chosen variant does not compute is never asked for. */
static enum status reserve_kind(struct call *call, bool odd, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct gpu_call run;
    enum status status = gpu_begin(gpu, gpu_stream(gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    status = plans_find(call, &call->request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)call->plan->scratch_bytes, error);
    if (status == STATUS_OK && !call->request.arrays)
        status = rehearse(call, call->plan, error);
    if (status == STATUS_UNSUPPORTED && odd)
        status = STATUS_OK;
    return end(gpu, &run, status, error);
}

enum status reserve_on_device(const struct call *call, struct error *error)
{
    const int kinds = call->request.arrays ? 1 : 4;
    enum status status = STATUS_OK;

    for (int kind = 0; kind < kinds && status == STATUS_OK; kind++) {
        struct call other = kind_of(call, kind);

        status = reserve_kind(&other, kind & 1, error);
    }
    return status;
}
