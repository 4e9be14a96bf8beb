/* SPDX-License-Identifier: MIT */
/* Calls on arrays in host memory. To smooth images, several threads run an engine (implementation):
 * each on a band of rows, or on several small images that are copied side by side (side_by_side.h).
 * To transpose or reverse, each thread moves whole images; with more threads than images, the
 * variant starts threads of its own. The engine of arrays, the implementation for any array, starts
 * its own threads. */
#include "src/lib/api/call.h"
#include "src/lib/api/images.h"
#include "src/lib/api/side_by_side.h"

#include "kernels/common/numbers.h"
#include "kernels/common/worker_pool.h"
#include "src/lib/base/work_queue.h"

/* The maximum number of bands for each thread. With several bands for each thread, other threads
 * can take over the bands of a thread that is late. */
#define THREAD_BANDS 4
/* The minimum height of a band, in halos, if a thread gets several bands. The rows next to the
 * border between two bands, up to a halo away, are read and filtered along x for both bands. The
 * higher the bands, the smaller the share of these rows. */
#define BAND_HALOS 16

void divide_on_host(struct call *call)
{
    const struct smoothimg_context *context = call->context;
    struct request *request = &call->request;
    const int64_t height = request->dst.height, images = request->images;
    int64_t share, least, bands;

    /* The engine for arrays that are no images starts its own threads. */
    call->threads =
        request->arrays || context->threads == 1 ? 1
        : context->every_thread
            ? context->threads
            : useful_threads(call->op, request, images, context->threads, worker_pool_is_awake());
    call->side_by_side = call->bands = 1;
    call->band_rows = request->src.height;
    if (call->op != OP_SMOOTH) {
        /* Each thread moves whole images; if there are more threads than images, several threads
         * share an image. */
        request->threads = (int)max(call->threads / images, 1);
        call->threads = (int)min(call->threads, images);
        return;
    }
    /* All bands have about the same height, and all threads get about the same number of bands.
     * Images that are computed side by side are computed whole. */
    share = (height * images - 1) / call->threads + 1;
    least = BAND_HALOS * max(request->halo_y, 1);
    bands = call->threads == 1 ? 1 : max(min(share / least, THREAD_BANDS), 1);
    if (images > 1)
        call->side_by_side = min(side_by_side_most(call), (images - 1) / call->threads + 1);
    if (call->side_by_side == 1)
        call->band_rows = min((share - 1) / bands + 1, height);
    call->bands = (height - 1) / call->band_rows + 1;
}

/* Plans the largest piece of work: a band, or images side by side. A thread's memory holds copies
 * of images side by side, their results, and the scratch. */
enum status plan_on_host(struct call *call, int threads, struct error *error)
{
    const bool together = call->side_by_side > 1;
    const struct request request =
        together ? side_by_side_request(call) : request_rows(&call->request, 0, call->band_rows);
    struct memory *memory = call->context->memory;
    enum status status = plans_find(call, &request, error);

    if (status != STATUS_OK)
        return status;
    call->memory_bytes =
        round_up((together ? side_by_side_bytes(call) : 0) + (int64_t)call->plan->scratch_bytes,
                 MEMORY_UNIT);
    for (int i = 0; i < threads && status == STATUS_OK; i++)
        status = memory_need(&memory[i].data, &memory[i].bytes, (size_t)call->memory_bytes,
                             "a thread to work in", error);
    return status;
}

/* Computes the band with index `number`. A thread of the work queue calls it (work_piece,
 * work_queue.h). */
static enum status do_band(void *context, int thread, int64_t number, struct error *error)
{
    const struct call *call = context;
    const int64_t i = number / call->bands, first = number % call->bands * call->band_rows;
    const int64_t last = min(first + call->band_rows, call->request.src.height);
    const struct request band = request_rows(&call->request, first, last);
    struct piece piece = {.request = &call->plan->request,
                          .state = call->plan->state,
                          .src = band.src,
                          .dst = band.dst,
                          .beside = band.beside,
                          .images = 1,
                          .scratch = call->context->memory[thread].data};

    piece.src.origin = (char *)band.src.origin + i * call->request.src_apart;
    piece.dst.origin = (char *)band.dst.origin + i * call->request.dst_apart;
    return run_outcome(call->op, ON_CPU, call->plan, plan_run(call->plan, &piece), error);
}

enum status run_on_host(struct call *call, struct error *error)
{
    const int64_t images = call->request.images;
    enum status status;
    int64_t pieces;
    bool together;

    divide_on_host(call);
    together = call->side_by_side > 1;
    pieces = together ? (images - 1) / call->side_by_side + 1 : call->bands * images;
    /* Threads without a piece need no memory. */
    status = plan_on_host(call, (int)min(call->threads, pieces), error);
    if (status != STATUS_OK)
        return status;
    return work_queue_run(call->threads, pieces, true, together ? side_by_side_run : do_band, call,
                          error);
}

enum status reserve_on_host(struct call *call, struct error *error)
{
    const int threads = call->request.arrays ? 1 : call->context->threads;
    enum status status;

    /* Images without samples around them need the most memory. */
    call->request.beside = (struct beside){0};
    divide_on_host(call);
    call->side_by_side = 1;
    status = plan_on_host(call, threads, error);
    /* A later call may have higher bands: lower images, fewer images, and threads that sleep, make
     * fewer threads worth using. */
    call->band_rows = call->request.src.height;
    if (status == STATUS_OK)
        status = plan_on_host(call, threads, error);
    if (status == STATUS_OK && side_by_side_largest(call))
        status = plan_on_host(call, threads, error);
    return status;
}
