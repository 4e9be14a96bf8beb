/* SPDX-License-Identifier: MIT */
/* Checks and runs one experiment at one size. A struct memory_stage holds the right result, and the
 * experiment's arrays: on the host and, if the experiment runs on the GPU, also on the device. */
#ifndef SMOOTHIMG_MEMORY_STAGE_H
#define SMOOTHIMG_MEMORY_STAGE_H

#include "src/lib/gpu/gpu.h"
#include "kernels/memory/experiments.h"
#include "src/bench/core/measure.h"

struct memory_setting {
    struct problem_size size;
    struct gpu *gpu; /* NULL without a GPU */
};

struct memory_stage {
    const struct experiment *experiment;
    struct gpu *gpu;          /* not owned; NULL for the CPU's experiments */
    struct array_specs shape; /* the types and sizes of the arrays */
    /* The experiment's arrays in the host's memory; owned. Its result is written or, from a GPU,
     * copied to host.out. */
    struct experiment_job host;
    struct experiment_job device; /* for a GPU: the same arrays in the device's memory; owned */
    struct array wanted;          /* the right result; owned */
};

/* Makes the arrays and the right result, runs the experiment once and compares every element. If
 * all elements are right, measures the time of more runs. *row, a row of the report, gets the
 * times, or the reason why there are none. `earlier` is another stage or NULL. If the right result
 * of `earlier` is also right for this experiment, moves it to *stage instead of computing it again.
 * If the experiment fails or memory runs out, the row becomes ROW_FAILED. The caller frees *stage,
 * also after a failure. Returns STATUS_INPUT if there is no memory for the measured times. */
enum status memory_stage_measure(struct memory_stage *stage, struct memory_stage *earlier,
                                 const struct experiment *experiment,
                                 const struct memory_setting *setting, const struct effort *effort,
                                 struct row *row, struct error *error);

void memory_stage_free(struct memory_stage *stage);

#endif
