/* SPDX-License-Identifier: MIT */
/* What is decided and made once for many jobs that are alike: which engine of a variant computes
 * them, and its state (struct variant). */
#ifndef SMOOTHIMG_ENGINE_PLAN_H
#define SMOOTHIMG_ENGINE_PLAN_H

#include "kernels/variant.h"
#include "src/lib/base/error.h"

/* Once made it does not change or move, and any number of threads may use it. */
struct engine_plan {
    const struct variant *engine;
    _Alignas(64) unsigned char state[MOST_STATE_BYTES];
};

/* Plans jobs like this one for the variant. On a GPU call it while the device is current.
 * STATUS_UNSUPPORTED, with the reason, if the variant cannot do them. */
enum status engine_plan_make(const struct variant *variant, const struct job *job,
                             struct engine_plan *plan, struct error *error);

/* The job by the plan, which has to outlive it. */
struct job engine_plan_job(const struct engine_plan *plan, const struct job *job);

#endif
