/* SPDX-License-Identifier: MIT */
/* Calls on arrays in a device's memory. A rehearsal runs a call on an image without data, so that
 * CUDA loads the call's kernels before the first real call. A variant is an implementation of an
 * operation; an engine is one of its methods, each with its own kernels. */
#include "kernels/common/numbers.h"
#include "src/lib/api/call.h"
#include "src/lib/api/images.h"
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"

#define ROW_UNIT 256 /* bytes: alignment of rows in a rehearsal */
/* The maximum size of a rehearsal's image, unless a single row is larger. */
#define REHEARSED_BYTES ((int64_t)4 << 20)

/* Enqueues the call; run->memory is its scratch memory. */
static enum status launch(const struct call *call, const struct gpu_call *run, struct error *error)
{
    struct piece piece = plan_piece(call->plan);

    piece.src.origin = call->request.src.origin;
    piece.dst.origin = call->request.dst.origin;
    piece.scratch = run->memory;
    piece.stream = run->stream;
    return run_outcome(call->op, ON_GPU, call->plan, plan_run(call->plan, &piece), error);
}

/* Plans the call, makes the working memory large enough, and then calls `act`, unless that is
 * NULL. */
static enum status with_plan(struct call *call,
                             enum status (*act)(const struct call *call, const struct gpu_call *run,
                                                struct error *error),
                             struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct gpu_call run;
    struct error unused; /* for gpu_end() after another failure, which *error describes */
    enum status status = gpu_begin(gpu, call->stream, &run, error);

    if (status != STATUS_OK)
        return status;
    status = plans_find(call, &call->request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)call->plan->scratch_bytes, error);
    if (status == STATUS_OK && act)
        status = act(call, &run, error);
    if (status == STATUS_OK)
        return gpu_end(gpu, &run, error);
    gpu_end(gpu, &run, &unused);
    return status;
}

enum status plan_on_device(struct call *call, struct error *error)
{
    return with_plan(call, NULL, error);
}

enum status run_on_device(struct call *call, struct error *error)
{
    return with_plan(call, launch, error);
}

static int64_t rehearsal_pitch(int64_t pixels, const struct view *view)
{
    return round_up(pixels * view_pixel_bytes(view), ROW_UNIT);
}

/* Returns the call that rehearses this one, for CUDA to load its kernels: a call on one image, of
 * limited height, without data. */
static struct call rehearsal_of(const struct call *call)
{
    struct call small = *call;
    struct request *request = &small.request;
    struct view *src = &request->src;

    request->images = 1;
    request->beside = (struct beside){0};
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

/* Runs the call's engine on the small image at `memory`, and waits. The result lies after the
 * image. */
static enum status rehearse_in(const struct call *call, struct call *small, void *memory,
                               const struct gpu_call *run, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct gpu_call rehearsal = *run;
    struct plan plan = {.state = NULL};
    struct variant engine;
    enum status status;

    registry_variant(call->op, call->plan->engine->name, &engine);
    small->request.src.origin = memory;
    small->request.dst.origin =
        (char *)memory + small->request.src.height * small->request.src.stride_bytes;
    small->plan = &plan;
    status = plan_make(&engine, &small->request, &plan, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &rehearsal, (int64_t)plan.scratch_bytes, error);
    if (status == STATUS_OK)
        status = launch(small, &rehearsal, error);
    plan_free(&plan);
    if (status == STATUS_OK)
        status = gpu_array_wait(gpu, error);
    /* The engine may refuse the small image. That is no failure: CUDA then loads its kernels at the
     * first real call. */
    return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

/* For a call on images: computes a small image in the same way, so that CUDA loads the kernels. For
 * a call on other arrays: does nothing, since their engine loads its kernels when it makes its
 * state. */
static enum status rehearse(const struct call *call, const struct gpu_call *run,
                            struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    struct call small = rehearsal_of(call);
    const struct view *src = &small.request.src, *dst = &small.request.dst;
    const int64_t bytes = src->height * src->stride_bytes + dst->height * dst->stride_bytes;
    void *memory;
    enum status status;

    if (call->request.arrays)
        return STATUS_OK;
    status = gpu_array_make(gpu, bytes, "a rehearsal", &memory, error);
    if (status != STATUS_OK)
        return gpu_lacked_memory(gpu) ? (error->status = STATUS_NO_MEMORY) : status;
    status = rehearse_in(call, &small, memory, run, error);
    gpu_array_free(gpu, memory);
    return status;
}

/* Sets the image's address, which is never read, to `odd` bytes after a multiple of 256. Rounds the
 * distances between rows, and between images, up to a multiple of 256 bytes plus `odd`. */
static void place_off(struct view *image, int64_t *apart, int64_t odd)
{
    image->origin = (void *)(uintptr_t)(ROW_UNIT + odd);
    image->stride_bytes = round_up(image->stride_bytes, ROW_UNIT) + odd;
    *apart = round_up(*apart, ROW_UNIT) + odd;
}

/* Returns a copy of the call for the device's own stream. The copy is changed to one of four kinds
 * of call, which may need different kernels. If bit 0 of `kind` is set, the address of the first
 * row and the distance between rows are one sample more than multiples of 256 bytes. If bit 1 is
 * set, the call keeps all of its images, else only the first. */
static struct call kind_of(const struct call *call, int kind)
{
    struct call other = *call;
    struct request *request = &other.request;
    const int64_t odd = kind & 1 ? request->src.sample_bytes : 0;

    place_off(&request->src, &request->src_apart, odd);
    place_off(&request->dst, &request->dst_apart, odd);
    request->images = kind & 2 ? request->images : 1;
    other.stream = gpu_stream(call->context->gpu);
    return other;
}

enum status reserve_on_device(const struct call *call, struct error *error)
{
    const int kinds = call->request.arrays ? 1 : call->request.images > 1 ? 4 : 2;
    enum status status = STATUS_OK;

    for (int kind = 0; kind < kinds && status == STATUS_OK; kind++) {
        struct call other = kind_of(call, kind);

        status = with_plan(&other, rehearse, error);
        /* The chosen variant may refuse rows that are not aligned. It then refuses them in later
         * calls too, so nothing has to be reserved. */
        if (status == STATUS_UNSUPPORTED && kind & 1)
            status = STATUS_OK;
    }
    return status;
}
