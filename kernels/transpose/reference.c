/* SPDX-License-Identifier: MIT */
/* Rows become columns: out(x, y) = in(y, x), pixel by pixel. */
#include "kernels/common/sample.h"
#include "kernels/variant.h"

static const char *run(const struct job *job)
{
    for (int64_t y = 0; y < job->src.height; y++)
        for (int64_t x = 0; x < job->src.width; x++)
            for (int32_t channel = 0; channel < job->src.channels; channel++)
                sample_set(&job->dst, x, y, channel, sample_get(&job->src, y, x, channel));
    return NULL;
}

DEFINE_VARIANT(transpose_reference) = {
    .op = OP_TRANSPOSE,
    .name = "reference",
    .backend = ON_CPU,
    .reference = true,
    .description = "the definition: out(x, y) = in(y, x)",
    .run = run,
};
