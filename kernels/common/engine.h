/* SPDX-License-Identifier: MIT */
/* This is the place where a variant's engine is chosen, and where a variant that computes one image
 * gets the others of a stack: images of one shape, the same distance apart. Those who run a variant
 * call these functions in place of its own. */
#ifndef SMOOTHIMG_ENGINE_H
#define SMOOTHIMG_ENGINE_H

#include "kernels/variant.h"

#define PLACE_UNIT 16 /* bytes: images whose addresses are alike modulo it lie alike */

/* Whether the engine computes the images of a job where they lie. Those that have no place yet
 * (src.origin is NULL) will begin at multiples of 256. */
static inline bool lies_well(const struct variant *engine, const struct job *job)
{
    const bool alike =
        job->images <= 1 || (job->src_apart % PLACE_UNIT == 0 && job->dst_apart % PLACE_UNIT == 0);

    return !engine->lies_well || !job->src.origin || (alike && engine->lies_well(job));
}

static inline bool engine_serves(const struct variant *engine, const struct job *job)
{
    return (!engine->pays || engine->pays(job)) && (!engine->refuses || !engine->refuses(job)) &&
           lies_well(engine, job);
}

/* The first of these engines that serves the job; there is one. */
static inline const struct variant *engine_from(const struct variant *engine, const struct job *job)
{
    while (!engine_serves(engine, job))
        engine++;
    return engine;
}

/* What computes the job, which the variant does not refuse: an engine, or the variant itself. On
 * the GPU ask while the device is current. */
static inline const struct variant *engine_for(const struct variant *variant, const struct job *job)
{
    if (job->engine)
        return job->engine;
    return variant->engines ? engine_from(variant->engines, job) : variant;
}

/* The job for another variant or engine than it was planned for. */
static inline struct job unplanned(const struct job *job)
{
    struct job other = *job;

    other.engine = NULL;
    other.state = NULL;
    return other;
}

static inline bool takes_stack(const struct variant *engine, const struct job *job)
{
    return engine->takes_stack && engine->takes_stack(job);
}

/* What computes the job, or the images of its stack. *run: the job of each run(), but for the
 * images' addresses. Where no engine takes the stack, one is chosen for a single image that
 * computes each of them where it lies. */
static inline const struct variant *engine_of_run(const struct variant *variant,
                                                  const struct job *job, struct job *run)
{
    const struct variant *engine = engine_for(variant, job);

    *run = *job;
    if (job->images <= 1 || takes_stack(engine, job))
        return engine;
    run->images = 1;
    engine = engine_for(variant, run);
    while (variant->engines && !job->engine && !lies_well(engine, job))
        engine = engine_from(engine + 1, run);
    return engine;
}

/* The bytes of scratch that run_stack() uses. */
static inline size_t scratch_bytes_of(const struct variant *variant, const struct job *job)
{
    struct job run;
    const struct variant *engine = engine_of_run(variant, job, &run);

    return engine->scratch_bytes ? engine->scratch_bytes(&run) : 0;
}

/* Computes all images of the job, which has its scratch. Returns NULL, or a static string that says
 * what failed. */
static inline const char *run_stack(const struct variant *variant, const struct job *job)
{
    struct job run;
    const struct variant *engine = engine_of_run(variant, job, &run);
    const char *failure =
        lies_well(engine, job) ? engine->run(&run) : "the images lie where it does not compute";

    for (int64_t done = run.images; done < job->images && !failure; done++) {
        run.src.origin = (char *)job->src.origin + done * job->src_apart;
        run.dst.origin = (char *)job->dst.origin + done * job->dst_apart;
        failure = engine->run(&run);
    }
    return failure;
}

#endif
