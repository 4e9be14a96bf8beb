/* SPDX-License-Identifier: MIT */
#include "src/lib/api/call.h"

#include "src/lib/filter/registry.h"
#include "src/lib/run/run.h"

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
    const struct job job = call_job(call, 0, 0, call->src.height);

    return run_threads(call->op, &job, call->src.count, call->context->threads);
}

struct job call_job(const struct call *call, int64_t i, int64_t first, int64_t last)
{
    struct job job = {.src = image_view(&call->src, i, first, last),
                      .dst = image_view(&call->dst, i, first, last),
                      .maxval = call->src.maxval,
                      .threads = call->threads_each,
                      .engine = call->engine};

    if (call->filter) {
        job_set_filter(&job, &call->filter->weights);
        job.weighted = call->filter->weighted;
        job.skip_nan = call->filter->skip_nan && job.maxval == FLOAT_SAMPLES;
        job.edge = (int)call->filter->filter.edge;
    }
    return job;
}

struct job call_stack(const struct call *call, int64_t images, bool bare)
{
    struct job job = call_job(call, 0, 0, call->src.height);

    job.images = images;
    job.src_apart = call->src.stride;
    job.dst_apart = call->dst.stride;
    job.bare = bare;
    return job;
}
