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

static enum status copy_on_device(const struct copy *copy, int64_t runs, double *seconds,
                                  struct error *error)
{
    struct gpu_times times = {0};
    void *from, *to;
    enum status status = gpu_host_begin(copy->gpu, copy->bytes, copy->bytes, &from, &to, error);

    if (status == STATUS_OK)
        status = gpu_mark(copy->gpu, KERNEL_BEGINS, error);
    for (int64_t i = 0; i < runs && status == STATUS_OK; i++)
        status = gpu_array_copy(copy->gpu, to, from, copy->bytes, error);
    if (status == STATUS_OK)
        status = gpu_mark(copy->gpu, KERNEL_ENDS, error);
    status = gpu_host_end(copy->gpu, status, &times, error);
    *seconds = times.kernel;
    return status;
}

enum status copy_run(struct subject *subject, int64_t runs, double *seconds, struct error *error)
{
    const struct copy *copy = subject->context;

    return copy->gpu ? copy_on_device(copy, runs, seconds, error)
                     : time_calls(copy_once, subject->context, runs, seconds, error);
}
