/* SPDX-License-Identifier: MIT */
/* The list of all pixels, last first: out[n-1-i] = in[i]. Seen as a picture: a turn by 180 degrees.
 */
#include "kernels/common/sample.h"
#include "kernels/variant.h"

static const char *run(const struct job *job)
{
    const int64_t last_row = job->src.height - 1;
    const int64_t last_column = job->src.width - 1;

    for (int64_t y = 0; y <= last_row; y++)
        for (int64_t x = 0; x <= last_column; x++)
            for (int32_t channel = 0; channel < job->src.channels; channel++)
                sample_set(&job->dst, last_row - y, last_column - x, channel,
                           sample_get(&job->src, y, x, channel));
    return NULL;
}

DEFINE_VARIANT(reverse_reference) = {
    .op = OP_REVERSE,
    .name = "reference",
    .backend = ON_CPU,
    .reference = true,
    .description = "the definition: out[n-1-i] = in[i], all pixels",
    .run = run,
};
