/* SPDX-License-Identifier: MIT */
/* A plain copy: what rows are compared with. */
#ifndef SMOOTHIMG_COPY_H
#define SMOOTHIMG_COPY_H

#include "src/bench/core/measure.h"
#include "src/lib/gpu/gpu.h"

/* The context of a subject whose run is copy_run. */
struct copy {
    struct gpu *gpu; /* copies within its memory, with buffers of its own; NULL: on the CPU */
    void *to;        /* on the CPU; not owned */
    const void *from;
    int64_t bytes;
    int threads; /* on the CPU */
};
enum status copy_run(struct subject *subject, int64_t runs, double *seconds, struct error *error);

#endif
