/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/engine_plan.h"

#include "kernels/common/engine.h"
#include "src/lib/filter/registry.h"

/* Makes the engine's state, for runs like *run of the job. Returns NULL, or why it cannot do that.
 */
static const char *prepare(const struct variant *engine, const struct job *job,
                           const struct job *run, struct engine_plan *plan)
{
    plan->engine = engine;
    if (!lies_well(engine, job))
        return "rows and images do not begin at multiples of 16 bytes";
    return engine->prepare ? engine->prepare(run, plan->state) : NULL;
}

enum status engine_plan_make(const struct variant *variant, const struct job *job,
                             struct engine_plan *plan, struct error *error)
{
    const char *refusal = variant->refuses ? variant->refuses(job) : NULL;
    struct job run;

    if (!refusal) {
        refusal = prepare(engine_of_run(variant, job, &run), job, &run, plan);
        while (refusal && variant->engines)
            refusal = prepare(engine_from(plan->engine + 1, &run), job, &run, plan);
    }
    return refusal ? fail(error, STATUS_UNSUPPORTED, "%s %s cannot do this: %s",
                          op_word(variant->op), variant->name, refusal)
                   : STATUS_OK;
}

struct job engine_plan_job(const struct engine_plan *plan, const struct job *job)
{
    struct job planned = *job;

    planned.engine = plan->engine;
    planned.state = plan->engine->prepare ? plan->state : NULL;
    return planned;
}
