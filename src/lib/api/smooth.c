/* SPDX-License-Identifier: MIT */
/* Smooth. In the host's memory the variant reads images where they are, in bands of rows for
 * several threads; the engine of arrays has threads of its own. */
#include "src/lib/api/device.h"
#include "src/lib/api/plans.h"
#include "src/lib/api/side_by_side.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/run/run.h"

#define THREAD_BANDS 4 /* of a thread, so that one that is late leaves some to others */
#define BAND_HALOS 16  /* rows of a band, in halos, at least: the halo's own are filtered twice */

/* Sets the number of threads, and the height of a band: each thread has the same number of them. */
static void plan_bands(struct call *call)
{
    const int64_t height = call->dst.height, halo = call->asked.halo_y;
    int64_t share, bands;

    call->threads = call_threads(call);
    share = (height * call->src.count - 1) / call->threads + 1;
    bands = call->threads == 1 ? 1 : min(share / (BAND_HALOS * max(halo, 1)), THREAD_BANDS);
    call->band_rows = min((share - 1) / max(bands, 1) + 1, height);
    call->side_by_side = min(side_by_side_most(call), (call->src.count - 1) / call->threads + 1);
    if (call->side_by_side > 1)
        call->band_rows = height; /* they are computed whole */
    call->bands = (height - 1) / call->band_rows + 1;
}

/* The highest band, or most images side by side. */
static struct request largest_request(const struct call *call)
{
    return call->side_by_side > 1 ? side_by_side_request(call)
                                  : call_request(call, 0, call->band_rows);
}

/* A band, as a work_piece. */
static enum status smooth_band(void *context, int thread, int64_t number, struct error *error)
{
    const struct call *call = context;
    struct memory *memory = &call->context->memory[thread];
    const int64_t i = number / call->bands, first = number % call->bands * call->band_rows;
    const int64_t last = min(first + call->band_rows, call->dst.height);
    const enum status status = memory_need(memory, (size_t)call->memory_bytes, error);
    struct piece piece = plan_piece(call->plan);

    if (status != STATUS_OK)
        return status;
    piece.src = image_view(&call->src, i, first, last);
    piece.dst = image_view(&call->dst, i, first, last);
    piece.beside = call->src.beside;
    piece.beside.above += first;
    piece.beside.below += call->src.height - last;
    piece.scratch = memory->data;
    return run_outcome(call->op, call_backend(call), call->plan, plan_run(call->plan, &piece),
                       error);
}

static enum status run_pieces(struct call *call, struct error *error)
{
    const int64_t count = call->src.count;

    return call->side_by_side > 1
               ? work_queue_run_apart(call->threads, (count - 1) / call->side_by_side + 1,
                                      side_by_side_run, call, error)
               : work_queue_run_apart(call->threads, call->bands * count, smooth_band, call, error);
}

/* The bands of all images, by one plan, and the memory of a thread: images side by side and their
 * results, and then the scratch. */
static enum status plan_on_host(struct call *call, struct error *error)
{
    const struct request request = largest_request(call);
    const enum status status = plans_find(call, &request, error);

    if (status == STATUS_OK)
        call->memory_bytes = (call->side_by_side > 1 ? side_by_side_bytes(call) : 0) +
                             (int64_t)call->plan->scratch_bytes;
    return status;
}

static enum status smooth_images(struct call *call, struct error *error)
{
    enum status status;

    plan_bands(call);
    status = plan_on_host(call, error);
    return status == STATUS_OK ? run_pieces(call, error) : status;
}

/* The first thread's memory serves all of them. */
static enum status plan_arrays(struct call *call, struct error *error)
{
    const struct request request = call_request(call, 0, 0);

    return plans_find(call, &request, error);
}

static enum status smooth_arrays(struct call *call, struct error *error)
{
    struct memory *memory = call->context->memory;
    struct piece piece;
    enum status status = plan_arrays(call, error);

    if (status == STATUS_OK)
        status = memory_need(memory, call->plan->scratch_bytes, error);
    if (status != STATUS_OK)
        return status;
    piece = plan_piece(call->plan);
    piece.src.origin = call->src.data;
    piece.dst.origin = call->dst.data;
    piece.scratch = memory->data;
    return run_outcome(call->op, ON_CPU, call->plan, plan_run(call->plan, &piece), error);
}

/* STATUS_INVALID or STATUS_UNSUPPORTED if the filter does not fit the pixels. No variant weighs
 * floats by alpha: kernels/smooth/floats/floats.h says why. */
static enum status check_filter(const struct call *call, struct error *error)
{
    if (call->asked.weighted && call->src.channels < 2)
        return fail(error, STATUS_INVALID,
                    "src: 1 channel; a filter that is weighted by alpha needs at least 2");
    if (call->asked.weighted && call->src.type == SMOOTHIMG_F32)
        return fail(error, STATUS_UNSUPPORTED,
                    "src: floats are not weighted by alpha; use a filter without it, which smooths "
                    "each channel by itself");
    return STATUS_OK;
}

enum status smooth(struct call *call, struct error *error)
{
    const enum status status = check_filter(call, error);

    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? run_on_device(call, error)
           : call->asked.arrays               ? smooth_arrays(call, error)
                                              : smooth_images(call, error);
}

enum status smooth_measure(struct call *call, int64_t *bytes, struct error *error)
{
    enum status status = check_filter(call, error);

    *bytes = 0;
    if (status != STATUS_OK || call->src.memory == SMOOTHIMG_CUDA)
        return status;
    if (!call->asked.arrays)
        plan_bands(call);
    status = call->asked.arrays ? plan_arrays(call, error) : plan_on_host(call, error);
    if (status == STATUS_OK)
        *bytes =
            (int64_t)call->plan->room + (call->asked.arrays ? (int64_t)call->plan->scratch_bytes
                                                            : call->threads * call->memory_bytes);
    return status;
}

static enum status reserve_for_largest(struct call *call, struct error *error)
{
    struct smoothimg_context *context = call->context;
    enum status status = plan_on_host(call, error);

    for (int i = 0; i < context->threads && status == STATUS_OK; i++)
        status = memory_need(&context->memory[i], (size_t)call->memory_bytes, error);
    return status;
}

/* The images have no data. */
static enum status reserve_images(struct call *call, struct error *error)
{
    enum status status;

    call->src.beside = (struct beside){0}; /* which needs most */
    plan_bands(call);
    call->side_by_side = 1;
    status = reserve_for_largest(call, error);
    if (status == STATUS_OK && side_by_side_largest(call))
        status = reserve_for_largest(call, error);
    return status;
}

static enum status reserve_arrays(struct call *call, struct error *error)
{
    const enum status status = plan_arrays(call, error);

    return status == STATUS_OK
               ? memory_need(call->context->memory, call->plan->scratch_bytes, error)
               : status;
}

enum status smooth_reserve(struct call *call, struct error *error)
{
    enum status status = check_filter(call, error);

    if (status == STATUS_OK)
        status = plans_reserve(call->context->plans, error);
    if (status != STATUS_OK)
        return status;
    return call->src.memory == SMOOTHIMG_CUDA ? reserve_on_device(call, error)
           : call->asked.arrays               ? reserve_arrays(call, error)
                                              : reserve_images(call, error);
}
