/* SPDX-License-Identifier: MIT */
#include "src/bench/core/copy.h"

#include "kernels/common/parallel.h"

#include <string.h>

#define COPY_PIECE ((int64_t)1 << 16) /* bytes of a piece; a thread copies several pieces */

static void copy_pieces(const void *context, int band, int64_t first, int64_t last)
{
    const struct copy *copy = context;
    const int64_t start = first * COPY_PIECE, end = last * COPY_PIECE;

    (void)band;
    memcpy((char *)copy->to + start, (const char *)copy->from + start,
           (size_t)((end < copy->bytes ? end : copy->bytes) - start));
}

static const char *copy_once(void *context)
{
    const struct copy *copy = context;

    parallel_rows(copy->threads, (copy->bytes + COPY_PIECE - 1) / COPY_PIECE, copy_pieces, copy);
    return NULL;
}

enum status copy_run(struct subject *subject, int64_t runs, double *seconds, struct error *error)
{
    const struct copy *copy = subject->context;

    return copy->gpu ? gpu_time_copy(copy->gpu, copy->bytes, runs, seconds, error)
                     : time_calls(copy_once, subject->context, runs, seconds, error);
}
