/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/request.h"

struct job request_job(const struct request *request, enum op op, uint32_t maxval, struct view src,
                       struct view dst)
{
    struct job job = {.src = src,
                      .dst = dst,
                      .maxval = maxval,
                      .threads = request->threads,
                      .block = request->block,
                      .isa = request->isa};

    if (op != OP_SMOOTH || !request->filter)
        return job;
    job_set_filter(&job, request->filter);
    job.weighted = request->weighted;
    return job;
}
