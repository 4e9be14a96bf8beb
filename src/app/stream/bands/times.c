/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/times.h"

#include "src/lib/base/clock.h"

void lap(double *mark, double *stage)
{
    const double now = clock_seconds();

    *stage += now - *mark;
    *mark = now;
}

static void add_op(struct op_times *sum, const struct op_times *op, double scale)
{
    struct gpu_times gpu = op->gpu;

    gpu.upload *= scale;
    gpu.kernel *= scale;
    gpu.download *= scale;
    gpu_times_add(&sum->gpu, gpu);
    sum->compute += scale * op->compute;
    if (op->variant)
        sum->variant = op->variant;
}

void bands_times_add(struct bands_times *sum, const struct bands_times *times, double scale)
{
    for (int i = 0; i < MAX_OPS; i++)
        add_op(&sum->ops[i], &times->ops[i], scale);
    sum->read += scale * times->read;
    sum->halo += scale * times->halo;
    sum->write += scale * times->write;
}
