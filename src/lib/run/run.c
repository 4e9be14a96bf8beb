/* SPDX-License-Identifier: MIT */
#include "src/lib/run/run.h"

#include "src/lib/filter/registry.h"
#include "src/lib/run/on_device.h"

#include <math.h>
#include <stdlib.h>

/* The least work of a thread, in additions of bytes: 6 us on a Zen 5 and 12 on a Xeon. To wake a
 * worker that sleeps takes 3 to 8 us, and on a virtual machine with two idle processors 17, of
 * which 8 are the caller's: two threads then take as long as one. One that still looks for work
 * begins within 1 us: AWAKE_WORK. By 16 processors of a Xeon, call after call, 256^2 bytes at halo
 * 1 take 12 us, with twice AWAKE_WORK 16, and by one thread 21 to 36. */
#define THREAD_WORK (1 << 18)
#define AWAKE_WORK (1 << 16)
#define WIDE_TAPS 2   /* a tap of samples that are no bytes takes as long as so many, about */
#define SMOOTH_TAPS 4 /* additions a sample, beside those of the halos */
#define MOVE_TAPS 2   /* a sample's move takes as long as so many, about */

int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake)
{
    const struct view *src = &request->src;
    const double samples = (double)src->width * (double)src->height * src->channels * (double)count;
    const int64_t taps =
        (op == OP_SMOOTH ? request->halo_x + request->halo_y + SMOOTH_TAPS : MOVE_TAPS) *
        (src->sample_bytes > 1 ? WIDE_TAPS : 1);
    const int least = awake ? AWAKE_WORK : THREAD_WORK;

    return (int)fmax(fmin(samples * (double)taps / least, threads), 1);
}

struct shape run_result_shape(enum op op, const struct shape *src)
{
    struct shape shape = *src;

    if (op == OP_TRANSPOSE) {
        shape.width = src->height;
        shape.height = src->width;
    }
    return shape;
}

enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error)
{
    const char *whose = backend == ON_GPU ? "the GPU failed: starting " : "";

    return failure ? fail(error, STATUS_DEVICE, "%s%s %s: %s", whose, op_word(op),
                          plan->engine->name, failure)
                   : STATUS_OK;
}

static enum status run_plan(enum op op, const struct plan *plan, struct error *error)
{
    struct piece piece = plan_piece(plan);
    enum status status = STATUS_OK;

    if (plan->scratch_bytes > 0)
        piece.scratch = aligned_alloc(64, (plan->scratch_bytes + 63) / 64 * 64);
    if (plan->scratch_bytes > 0 && !piece.scratch)
        return fail(error, STATUS_NO_MEMORY, "no memory: %s %s needs %zu bytes to work in",
                    op_word(op), plan->engine->name, plan->scratch_bytes);
    status = run_outcome(op, ON_CPU, plan, plan_run(plan, &piece), error);
    free(piece.scratch);
    return status;
}

enum status run_request(const struct variant *variant, const struct request *request,
                        struct gpu *gpu, struct error *error)
{
    struct plan plan = {.state = NULL};
    enum status status;

    if (variant->backend == ON_GPU)
        return on_device_once(variant, request, gpu, 0, error);
    status = plan_make(variant, request, &plan, error);
    if (status == STATUS_OK)
        status = run_plan(variant->op, &plan, error);
    plan_free(&plan);
    return status;
}
