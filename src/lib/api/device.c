/* SPDX-License-Identifier: MIT */
#include "src/lib/api/device.h"

#include "kernels/common/numbers.h"
#include "src/lib/api/plans.h"
#include "src/lib/gpu/arrays.h"
#include "src/lib/gpu/enqueue.h"
#include "src/lib/run/run.h"

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

/* Of all that the call asks. */
static struct request request_of_all(const struct call *call)
{
    struct request request = call_request(call, 0, call->src.height);

    if (request.arrays)
        return request;
    request.images = call->src.count;
    request.src_apart = call->src.stride;
    request.dst_apart = call->dst.stride;
    return request;
}

/* The call, by a plan, in memory for it. */
static enum status launch(const struct call *call, const struct plan *plan,
                          const struct gpu_call *run, struct error *error)
{
    struct piece piece = plan_piece(plan);

    piece.src.origin = call->src.data;
    piece.dst.origin = call->dst.data;
    piece.scratch = run->memory;
    piece.stream = run->stream;
    return run_outcome(call->op, call_backend(call), plan, plan_run(plan, &piece), error);
}

enum status run_on_device(struct call *call, struct error *error)
{
    struct gpu *gpu = call->context->gpu;
    const struct request request = request_of_all(call);
    struct gpu_call run;
    enum status status = gpu_begin(gpu, call->stream, &run, error);

    if (status != STATUS_OK)
        return status;
    status = plans_find(call, &request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)call->plan->scratch_bytes, error);
    if (status == STATUS_OK)
        status = launch(call, call->plan, &run, error);
    return end(gpu, &run, status, error);
}

/* The call on an image of limited height in `memory`, which is source and result. */
static struct call rehearsal_of(const struct call *call, void *memory)
{
    struct call small = *call;
    const int64_t row = small.src.width * pixel_bytes_of(call);

    small.src.count = 1;
    small.src.height = min(small.src.height, max(REHEARSED_BYTES / row, 1));
    small.src.pitch = round_up(row, ROW_UNIT);
    small.src.data = memory;
    small.src.beside = (struct beside){0};
    small.dst = small.src;
    if (call->op == OP_TRANSPOSE) {
        small.dst.width = small.src.height;
        small.dst.height = small.src.width;
        small.dst.pitch = round_up(small.src.height * pixel_bytes_of(call), ROW_UNIT);
    }
    return small;
}

static int64_t rehearsal_bytes(const struct call *small)
{
    return max(small->src.height * small->src.pitch, small->dst.height * small->dst.pitch);
}

/* Runs the engine of a plan on a small image, by a plan for that. */
static enum status rehearse_in(const struct call *call, const struct plan *large, void *memory,
                               struct error *error)
{
    const struct call small = rehearsal_of(call, memory);
    const struct request request = request_of_all(&small);
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
    status = plan_make(&engine, &request, &plan, error);
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
        gpu_array_make(gpu, rehearsal_bytes(&small), "a rehearsal", &memory, error);

    if (status != STATUS_OK)
        return gpu_lacked_memory(gpu) ? (error->status = STATUS_NO_MEMORY) : status;
    status = rehearse_in(call, plan, memory, error);
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

/* Plans a call that is alike but for where its images lie and how many there are: kind is 0 to 3.
 * Needs its memory, and rehearses. What the chosen variant does not compute is never asked for. */
static enum status reserve_kind(const struct call *call, int kind, struct error *error)
{
    const int64_t sample = image_view(&call->src, 0, 0, 1).sample_bytes;
    struct gpu *gpu = call->context->gpu;
    struct call other = *call;
    struct request request;
    struct gpu_call run;
    enum status status = gpu_begin(gpu, gpu_stream(gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    place_off(&other.src, kind & 1 ? sample : 0);
    place_off(&other.dst, kind & 1 ? sample : 0);
    other.src.count = other.dst.count = kind & 2 ? call->src.count : 1;
    request = request_of_all(&other);
    status = plans_find(&other, &request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)other.plan->scratch_bytes, error);
    if (status == STATUS_OK)
        status = rehearse(&other, other.plan, error);
    else if (status == STATUS_UNSUPPORTED && kind & 1)
        status = STATUS_OK;
    return end(gpu, &run, status, error);
}

static enum status reserve_arrays(struct call *call, struct error *error)
{
    const struct request request = request_of_all(call);
    struct gpu *gpu = call->context->gpu;
    struct gpu_call run;
    enum status status = gpu_begin(gpu, gpu_stream(gpu), &run, error);

    if (status != STATUS_OK)
        return status;
    status = plans_find(call, &request, error);
    if (status == STATUS_OK)
        status = gpu_need(gpu, &run, (int64_t)call->plan->scratch_bytes, error);
    return end(gpu, &run, status, error);
}

enum status reserve_on_device(struct call *call, struct error *error)
{
    enum status status = STATUS_OK;

    if (call->asked.arrays)
        return reserve_arrays(call, error);
    for (int kind = 0; kind < 4 && status == STATUS_OK; kind++)
        status = reserve_kind(call, kind, error);
    return status;
}
