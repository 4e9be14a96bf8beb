/* SPDX-License-Identifier: MIT */
/* A stack: images of one shape, the same distance apart. This is the place where a variant that
 * computes one image gets the others, one after the other. */
#ifndef SMOOTHIMG_STACK_H
#define SMOOTHIMG_STACK_H

#include "kernels/variant.h"

static inline bool takes_stack(const struct variant *variant, const struct job *job)
{
    return variant->takes_stack && variant->takes_stack(job);
}

/* The job of each run() that the stack takes, but for the images' addresses: ask scratch_bytes()
 * and src_phase() about it. */
static inline struct job job_of_run(const struct variant *variant, const struct job *job)
{
    struct job run = *job;

    if (!takes_stack(variant, job))
        run.images = 1;
    return run;
}

/* Computes all images of the job, whose scratch serves job_of_run(). The variant takes the stack,
 * or none of the images is bare. Returns NULL, or a static string that says what failed. */
static inline const char *run_stack(const struct variant *variant, const struct job *job)
{
    struct job run = job_of_run(variant, job);
    const char *failure = variant->run(&run);

    for (int64_t done = run.images; done < job->images && !failure; done++) {
        run.src.origin = (char *)job->src.origin + done * job->src_apart;
        run.dst.origin = (char *)job->dst.origin + done * job->dst_apart;
        failure = variant->run(&run);
    }
    return failure;
}

#endif
