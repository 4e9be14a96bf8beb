/* SPDX-License-Identifier: MIT */
#include "src/lib/api/device_plan.h"

#include "kernels/common/engine.h"

struct job device_job(const struct call *call)
{
    struct job job = call_job(call, 0, 0, call->src.height);

    job.dst.height = call->dst.height;
    job.beside = call->src.beside;
    job.images = call->src.count;
    job.src_apart = call->src.stride;
    job.dst_apart = call->dst.stride;
    return job;
}

enum status device_plan_make(const struct call *call, struct device_plan *plan, struct error *error)
{
    const struct job job = device_job(call);
    const enum status status =
        engine_plan_make(call_variant(call, &job), &job, &plan->engine, error);
    struct job planned;

    if (status != STATUS_OK)
        return status;
    planned = engine_plan_job(&plan->engine, &job);
    plan->bytes = (int64_t)scratch_bytes_of(plan->engine.engine, &planned);
    return STATUS_OK;
}
