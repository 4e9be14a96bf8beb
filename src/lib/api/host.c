/* SPDX-License-Identifier: MIT */
/* Calls on arrays in host memory. To smooth images, several threads run an engine (implementation):
 * each on a band of rows, or on several small images that are copied side by side (side_by_side.h).
 * Transposes, reverses and the engine of arrays, the implementation for any array, start their own
 * threads. */
#include "src/lib/api/call.h"
#include "src/lib/api/images.h"
#include "src/lib/api/side_by_side.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"

/* The number of bands for each thread. With several bands for each thread, other threads can take
 * over the bands of a thread that is late. */
#define THREAD_BANDS 4
/* The minimum height of a band, in halos. The rows next to the border between two bands, up to a
 * halo away, are read and filtered along x for both bands. The higher the bands, the smaller the
 * share of these rows. */
#define BAND_HALOS 16

/* Divides the images among the threads: into bands of about the same height, so that all threads
 * get the same number of bands; or into groups of small images that are computed side by side. */
static void plan_bands(struct call *call)
{
    const int64_t height = call->request.dst.height, images = call->request.images;
    const int64_t share = (height * images - 1) / call->threads + 1;
    const int64_t least = BAND_HALOS * max(call->request.halo_y, 1);
    const int64_t bands = call->threads == 1 ? 1 : max(min(share / least, THREAD_BANDS), 1);

    call->band_rows = min((share - 1) / bands + 1, height);
    call->side_by_side =
        images > 1 ? min(side_by_side_most(call), (images - 1) / call->threads + 1) : 1;
    if (call->side_by_side > 1)
        call->band_rows = height; /* images side by side are computed whole */
    call->bands = (height - 1) / call->band_rows + 1;
}

/* Sets the threads of a transpose or reverse. Each thread moves whole images; if there are more
 * threads than images, several threads share an image. */
static void plan_threads(struct call *call)
{
    const int64_t images = call->request.images;

    call->request.threads = (int)max(call->threads / images, 1);
    call->threads = (int)min(call->threads, images);
    call->side_by_side = call->bands = 1;
    call->band_rows = call->request.src.height;
}

/* Plans the largest piece of work (a band, or images side by side), and sets the size of a thread's
 * memory: copies of images side by side, their results, and the scratch. */
static enum status plan_pieces(struct call *call, struct error *error)
{
    const bool together = call->side_by_side > 1;
    const struct request request =
        together ? side_by_side_request(call) : request_rows(&call->request, 0, call->band_rows);
    const enum status status = plans_find(call, &request, error);

    if (status == STATUS_OK)
        call->memory_bytes =
            round_up((together ? side_by_side_bytes(call) : 0) + (int64_t)call->plan->scratch_bytes,
                     MEMORY_UNIT);
    return status;
}

enum status plan_on_host(struct call *call, struct error *error)
{
    call->threads = call_threads(call);
    if (call->op == OP_SMOOTH)
        plan_bands(call);
    else
        plan_threads(call);
    return plan_pieces(call, error);
}

/* Computes the band with index `number`. A thread of the work queue calls it (work_piece,
 * work_queue.h). */
static enum status do_band(void *context, int thread, int64_t number, struct error *error)
{
    const struct call *call = context;
    const int64_t i = number / call->bands, first = number % call->bands * call->band_rows;
    const int64_t last = min(first + call->band_rows, call->request.src.height);
    const struct request band = request_rows(&call->request, first, last);
    const enum status status = call_memory(call, thread, error);
    struct piece piece = {.request = &call->plan->request,
                          .state = call->plan->state,
                          .src = band.src,
                          .dst = band.dst,
                          .beside = band.beside,
                          .images = 1,
                          .scratch = call->context->memory[thread].data};

    if (status != STATUS_OK)
        return status;
    piece.src.origin = (char *)band.src.origin + i * call->request.src_apart;
    piece.dst.origin = (char *)band.dst.origin + i * call->request.dst_apart;
    return run_outcome(call->op, ON_CPU, call->plan, plan_run(call->plan, &piece), error);
}

enum status run_on_host(struct call *call, struct error *error)
{
    const int64_t images = call->request.images;
    const enum status status = plan_on_host(call, error);
    const bool together = call->side_by_side > 1;
    const int64_t pieces = together ? (images - 1) / call->side_by_side + 1 : call->bands * images;
    work_piece *const work = together ? side_by_side_run : do_band;

    if (status != STATUS_OK)
        return status;
    return work_queue_run(call->threads, pieces, true, work, call, error);
}

static enum status reserve_for_largest(struct call *call, struct error *error)
{
    const int threads = call->request.arrays ? 1 : call->context->threads;
    enum status status = plan_pieces(call, error);

    for (int i = 0; i < threads && status == STATUS_OK; i++)
        status = call_memory(call, i, error);
    return status;
}

enum status reserve_on_host(struct call *call, struct error *error)
{
    enum status status;

    /* Images without samples around them need the most memory. */
    call->request.beside = (struct beside){0};
    call->threads = call_threads(call);
    plan_bands(call);
    call->side_by_side = 1;
    status = reserve_for_largest(call, error);
    if (status == STATUS_OK && side_by_side_largest(call))
        status = reserve_for_largest(call, error);
    return status;
}
