/* SPDX-License-Identifier: MIT */
/* Calls on arrays in a device's memory. A rehearsal runs a call on an image without data, so that
 * CUDA loads the call's kernels before the first real call. A variant is an implementation of an
 * operation; an engine is one of its methods, each with its own kernels. */
#include "kernels/common/numbers.h"
#include "src/lib/api/call.h"
#include "src/lib/api/images.h"
#include "src/lib/filter/registry.h"
#include "src/lib/gpu/gpu.h"

/* Bytes: a rehearsal's addresses and distances between rows have the same remainders by this unit
 * as those of the call, since the kernels depend on them. */
#define ROW_UNIT 256
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

/* Returns the distance between rows of this many pixels. like: an image of the call. */
static int64_t rehearsal_pitch(int64_t pixels, const struct view *like)
{
    return round_up(pixels * view_pixel_bytes(like), ROW_UNIT) + like->stride_bytes % ROW_UNIT;
}

/* Returns how much memory the image takes, from a multiple of ROW_UNIT on. */
static int64_t rehearsal_bytes(const struct view *image)
{
    return round_up(image->height * image->stride_bytes, ROW_UNIT) + ROW_UNIT;
}

/* Returns the call that rehearses this one, for CUDA to load its kernels: a call on one image, of
 * limited height, without data. */
static struct call rehearsal_of(const struct call *call)
{
    struct call small = *call;
    struct request *request = &small.request;
    struct view *src = &request->src, *dst = &request->dst;

    request->images = 1;
    request->beside = (struct beside){0};
    src->stride_bytes = rehearsal_pitch(src->width, src);
    src->height = min(src->height, max(REHEARSED_BYTES / (src->width * view_pixel_bytes(src)), 1));
    dst->width = call->op == OP_TRANSPOSE ? src->height : src->width;
    dst->height = call->op == OP_TRANSPOSE ? src->width : src->height;
    dst->stride_bytes = rehearsal_pitch(dst->width, dst);
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
    small->request.src.origin = (char *)memory + (uintptr_t)call->request.src.origin % ROW_UNIT;
    small->request.dst.origin = (char *)memory + rehearsal_bytes(&small->request.src) +
                                (uintptr_t)call->request.dst.origin % ROW_UNIT;
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
    const int64_t bytes = rehearsal_bytes(&small.request.src) + rehearsal_bytes(&small.request.dst);
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

/* Sets the image's address, which is never read, to `first` bytes after a multiple of 256. Rounds
 * the distances between rows, and between images, up to a multiple of 256 bytes plus `odd`. */
static void place_off(struct view *image, int64_t *apart, int64_t first, int64_t odd)
{
    image->origin = (void *)(uintptr_t)(ROW_UNIT + first);
    image->stride_bytes = round_up(image->stride_bytes, ROW_UNIT) + odd;
    *apart = round_up(*apart, ROW_UNIT) + odd;
}

/* How the rows of both images lie: at multiples of 256 bytes; the source's one pixel after these,
 * as in a part of a larger image; or at distances that are no such multiples. */
enum rows { EVEN_ROWS, LATE_SOURCE, ODD_ROWS, ROWS };

/* Returns a copy of the call for the device's own stream. Calls of different kinds may need
 * different kernels. all: the call keeps all of its images, else only the first. */
static struct call kind_of(const struct call *call, enum rows rows, bool all)
{
    struct call other = *call;
    struct request *request = &other.request;
    const int64_t pixel = view_pixel_bytes(&request->src);
    /* Kernels use units of at most 16 bytes. */
    const int64_t step = pixel % 16 != 0 ? pixel : request->src.sample_bytes;
    const int64_t odd = rows == ODD_ROWS ? step : 0;

    place_off(&request->src, &request->src_apart, rows == EVEN_ROWS ? 0 : step, odd);
    place_off(&request->dst, &request->dst_apart, odd, odd);
    request->images = all ? request->images : 1;
    other.stream = gpu_stream(call->context->gpu);
    return other;
}

enum status reserve_on_device(const struct call *call, struct error *error)
{
    const int kinds = call->request.arrays ? 1 : call->request.images > 1 ? 2 * ROWS : ROWS;
    enum status status = STATUS_OK;

    for (int kind = 0; kind < kinds && status == STATUS_OK; kind++) {
        struct call other = kind_of(call, (enum rows)(kind % ROWS), kind >= ROWS);

        status = with_plan(&other, rehearse, error);
        /* The chosen variant may refuse rows that are not aligned. It then refuses them in later
         * calls too, so nothing has to be reserved. */
        if (status == STATUS_UNSUPPORTED && kind % ROWS != EVEN_ROWS)
            status = STATUS_OK;
    }
    return status;
}
