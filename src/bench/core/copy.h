/* SPDX-License-Identifier: MIT */
/* A plain copy of memory, which measure() can time. The printed table gives the rates of variants
 * and experiments as shares of the rate of such a copy. */
#ifndef SMOOTHIMG_COPY_H
#define SMOOTHIMG_COPY_H

#include "src/bench/core/measure.h"
#include "src/lib/gpu/gpu.h"

/* The context of a subject (something that measure() times) whose `run` is copy_run. */
struct copy {
    /* The GPU, which copies within its memory between buffers that copy_run makes; NULL: the CPU
     * copies. */
    struct gpu *gpu;
    void *to;         /* target of the CPU's copy; not owned */
    const void *from; /* source of the CPU's copy; not owned */
    int64_t bytes;
    int threads; /* threads of the CPU's copy */
};
enum status copy_run(struct subject *subject, int64_t runs, double *seconds, struct error *error);

#endif
