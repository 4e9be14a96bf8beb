/* SPDX-License-Identifier: MIT */
#include "src/app/stream/report.h"

#include "src/lib/base/clock.h"

void report_stage(struct stage *stage, double seconds, size_t bytes)
{
    stage->seconds += seconds;
    stage->bytes += (int64_t)bytes;
}

void report_since(struct stage *stage, double start, size_t bytes)
{
    report_stage(stage, clock_seconds() - start, bytes);
}

void report_gpu(struct report *report, int i, const struct gpu_times *times)
{
    struct gpu_stages *stages = &report->gpu[i];

    report_stage(&stages->upload, times->upload, (size_t)times->upload_bytes);
    report_stage(&stages->kernel, times->kernel, (size_t)times->kernel_bytes);
    report_stage(&stages->download, times->download, (size_t)times->download_bytes);
}

void report_overlapped(struct report *report, int ops, const struct bands_times *times,
                       size_t bytes)
{
    report_stage(&report->read, times->read, 0);
    report_stage(&report->halo, times->halo, bytes);
    for (int i = 0; i < ops; i++) {
        report_stage(&report->ops[i], times->ops[i].compute, bytes);
        report_gpu(report, i, &times->ops[i].gpu);
        report->variants[i] = times->ops[i].variant;
    }
    report_stage(&report->write, times->write, bytes);
}
