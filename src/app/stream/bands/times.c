/* SPDX-License-Identifier: MIT */
#include "src/app/stream/bands/times.h"

#include "src/lib/base/clock.h"

void lap(double *mark, double *stage)
{
    const double now = clock_seconds();

    *stage += now - *mark;
    *mark = now;
}

void bands_times_add(struct bands_times *sum, const struct bands_times *times, double scale)
{
    struct gpu_times gpu = times->gpu;

    gpu.upload *= scale;
    gpu.kernel *= scale;
    gpu.download *= scale;
    gpu_times_add(&sum->gpu, gpu);
    sum->read += scale * times->read;
    sum->halo += scale * times->halo;
    sum->compute += scale * times->compute;
    sum->write += scale * times->write;
    op_work_merge(&sum->work, &times->work);
}
