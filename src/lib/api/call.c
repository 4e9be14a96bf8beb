/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "kernels/common/worker_pool.h"
#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"

int64_t call_halo(const struct call *call)
{
    return call->request.filter ? filter_weights_halo(call->request.filter) : 0;
}

enum backend call_backend(const struct call *call)
{
    return call->src.memory == SMOOTHIMG_CUDA ? ON_GPU : ON_CPU;
}

int64_t pixel_bytes_of(const struct call *call)
{
    return call->src.channels * image_view(&call->src, 0, 0, 1).sample_bytes;
}

const struct variant *call_variant(const struct call *call, const struct job *job)
{
    const char *name = call->context->variant;
    const enum backend backend = call_backend(call);
    const struct variant *named = name ? registry_variant(call->op, name) : NULL;

    return named && named->backend == backend ? named : registry_best_for(call->op, backend, job);
}

int call_threads(const struct call *call)
{
    const int64_t rows = (call->op == OP_SMOOTH ? &call->dst : &call->src)->height;
    const struct job job = call_job(call, 0, 0, rows);

    return useful_threads(call->op, &job, call->src.count, call->context->threads,
                          worker_pool_is_awake());
}

struct job call_job(const struct call *call, int64_t i, int64_t first, int64_t last)
{
    struct job job =
        request_job(&call->request, call->op, call->src.maxval,
                    image_view(&call->src, i, first, last), image_view(&call->dst, i, first, last));

    job.engine = call->engine;
    job.isa = call->context->isa;
    job.block = call->context->block;
    return job;
}
