/* SPDX-License-Identifier: MIT */
/* Transpose and reverse. */
#include "src/lib/api/device.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/float_environment.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/run/run.h"

/* A whole image, as a work_piece. */
static enum status do_image(void *context, int thread, int64_t i, struct error *error)
{
    const struct call *call = context;
    struct job job = call_job(call, i, 0, call->src.height);

    (void)thread;
    job.dst.height = call->dst.height;
    return run_job(call_variant(call, &job), &job, NULL, error);
}

/* Several images at the same time, or several threads in one. */
IN_DEFAULT_ENVIRONMENT
static enum status move_images(struct call *call)
{
    struct error *error = &call->context->error;
    enum status status = complete_pair(call->op, &call->src, &call->dst, error);

    if (status == STATUS_OK)
        status = check_memory(call->context, call->src.memory, call->stream);
    if (status == STATUS_OK && call->src.memory == SMOOTHIMG_CUDA)
        return run_on_device(call, error);
    if (status == STATUS_OK) {
        call->threads = call_threads(call);
        call->request.threads = (int)max(call->threads / call->src.count, 1);
        status = work_queue_run_apart((int)min(call->threads, call->src.count), call->src.count,
                                      do_image, call, error);
    }
    return status;
}

static enum smoothimg_status move_pixels(struct smoothimg_context *context, enum op op,
                                         const struct smoothimg_image *src,
                                         const struct smoothimg_image *dst, void *stream)
{
    const struct given given[] = {{"src", src}, {"dst", dst}, {NULL, NULL}};
    struct float_environment callers;
    struct call call;
    enum status status;

    if (has_null(context, given))
        return SMOOTHIMG_INVALID;
    callers = float_environment_enter();
    call = call_of(context, op, NULL);
    call.src = *src, call.dst = *dst, call.stream = stream;
    status = move_images(&call);
    float_environment_leave(&callers);
    return public_status(status);
}

enum smoothimg_status smoothimg_transpose(struct smoothimg_context *context,
                                          const struct smoothimg_image *src,
                                          const struct smoothimg_image *dst, void *stream)
{
    return move_pixels(context, OP_TRANSPOSE, src, dst, stream);
}

enum smoothimg_status smoothimg_reverse(struct smoothimg_context *context,
                                        const struct smoothimg_image *src,
                                        const struct smoothimg_image *dst, void *stream)
{
    return move_pixels(context, OP_REVERSE, src, dst, stream);
}
