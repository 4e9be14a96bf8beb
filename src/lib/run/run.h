/* SPDX-License-Identifier: MIT */
/* Gives a variant its memory, and runs it. */
#ifndef SMOOTHIMG_RUN_H
#define SMOOTHIMG_RUN_H

#include "src/lib/base/error.h"
#include "src/lib/filter/plan.h"
#include "src/lib/filter/request.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"

/* How many threads, up to `threads`, shorten `count` such pieces of the operation: at least one.
 * Reads the shape and the halos only. awake: whether workers are, so that less work is worth one;
 * else the number is the same in each run. */
int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake);

/* The shape of the operation's result. */
struct shape run_result_shape(enum op op, const struct shape *src);

/* What plan_run() returned, as a status: STATUS_DEVICE for a failure in words. */
enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error);

/* For tests, the bench and --verify: plans what is asked, and computes the piece that the request
 * names, whose images are in host memory: allocates scratch, and for the GPU (gpu, else NULL)
 * copies the images there and back. STATUS_UNSUPPORTED, with the reason, if the variant refuses;
 * STATUS_NO_MEMORY; STATUS_DEVICE if it fails. */
enum status run_request(const struct variant *variant, const struct request *request,
                        struct gpu *gpu, struct error *error);

#endif
