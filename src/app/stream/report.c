/* SPDX-License-Identifier: MIT */
#include "src/app/stream/report.h"

#include "src/lib/base/clock.h"

static void add_part(struct stage *stage, double seconds, size_t bytes)
{
    stage->seconds += seconds;
    stage->bytes += (int64_t)bytes;
}

void report_stage(struct stage *stage, double start, size_t bytes)
{
    add_part(stage, clock_seconds() - start, bytes);
}

/* The kernel reads and writes each sample once, at best: that is what its GB/s count. */
void report_gpu(struct report *report, int i, const struct gpu_times *times)
{
    struct gpu_stages *stages = &report->gpu[i];

    add_part(&stages->upload, times->upload, (size_t)times->upload_bytes);
    add_part(&stages->kernel, times->kernel, 2 * (size_t)times->download_bytes);
    add_part(&stages->download, times->download, (size_t)times->download_bytes);
}

void report_overlapped(struct report *report, const struct bands_times *times, size_t bytes)
{
    add_part(&report->read, times->read, 0);
    add_part(&report->halo, times->halo, bytes);
    add_part(&report->ops[0], times->compute, bytes);
    add_part(&report->write, times->write, bytes);
    report_gpu(report, 0, &times->gpu);
    op_work_merge(&report->work[0], &times->work);
}
