/* SPDX-License-Identifier: MIT */
/* Transpose and reverse. */
#include "src/lib/api/device.h"

#include "kernels/common/numbers.h"
#include "src/lib/base/work_queue.h"
#include "src/lib/filter/run.h"

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
static enum smoothimg_status move_pixels(struct smoothimg_context *context, enum op op,
                                         const struct smoothimg_image *src,
                                         const struct smoothimg_image *dst, void *stream)
{
    struct call call = {.context = context, .op = op, .src = *src, .dst = *dst, .stream = stream};
    enum status status = complete_pair(op, &call.src, &call.dst, &context->error);

    if (status == STATUS_OK)
        status = check_memory(context, &call.src, stream);
    if (status == STATUS_OK && src->memory == SMOOTHIMG_CUDA)
        return public_status(run_on_device(&call, &context->error));
    if (status == STATUS_OK) {
        call.threads = call_threads(&call);
        call.threads_each = (int)max(call.threads / call.src.count, 1);
        status = work_queue_run((int)min(call.threads, call.src.count), call.src.count, do_image,
                                &call, &context->error);
    }
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
