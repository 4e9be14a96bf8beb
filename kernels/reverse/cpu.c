/* SPDX-License-Identifier: MIT */
/* Reverse, row by row, with vectors (reverse/loops.c). Memory decides the speed: each byte is read
 * once and written once. */
#include "kernels/common/isa.h"
#include "kernels/common/parallel.h"
#include "kernels/reverse/loops.h"
#include "kernels/variant.h"

static void reverse_band(const void *context, int band, int64_t first, int64_t last)
{
    const struct job *job = context;
    const struct reverse_loops *loops = isa_of(job)->reverse;
    const size_t pixel_bytes = (size_t)(job->src.channels * job->src.sample_bytes);
    const size_t row_bytes = (size_t)job->src.width * pixel_bytes;

    (void)band;
    for (int64_t y = first; y < last; y++) {
        const int64_t target = job->dst.height - 1 - y;

        loops->reverse_row((const char *)job->src.origin + y * job->src.stride_bytes,
                           (char *)job->dst.origin + target * job->dst.stride_bytes + row_bytes,
                           row_bytes, pixel_bytes);
    }
    loops->settle();
}

static const char *run(const struct job *job)
{
    parallel_rows(job->threads, job->src.height, reverse_band, job);
    return NULL;
}

DEFINE_VARIANT(reverse_cpu) = {
    .op = OP_REVERSE,
    .name = "cpu",
    .backend = ON_CPU,
    .description = "a vector at a time; threads",
    .run = run,
};
