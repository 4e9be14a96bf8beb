/* SPDX-License-Identifier: MIT */
/* What is decided once for calls on a device that are alike: which engine computes them, and in how
 * much memory. */
#ifndef SMOOTHIMG_API_DEVICE_PLAN_H
#define SMOOTHIMG_API_DEVICE_PLAN_H

#include "src/lib/api/call.h"

struct device_plan {
    struct engine_plan engine;
    int64_t bytes; /* of scratch */
};

/* The device is current. Fails as engine_plan_make does. */
enum status device_plan_make(const struct call *call, struct device_plan *plan,
                             struct error *error);

/* The job on all images of a call, without scratch. An engine that takes no stack computes one
 * after the other (run_stack). */
struct job device_job(const struct call *call);

#endif
