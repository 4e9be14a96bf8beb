/* SPDX-License-Identifier: MIT */
/* Gives a variant its memory, and runs it. */
#ifndef SMOOTHIMG_RUN_H
#define SMOOTHIMG_RUN_H

#include "src/lib/base/error.h"
#include "src/lib/filter/request.h"
#include "src/lib/gpu/gpu.h"
#include "src/lib/image/image.h"

/* How many threads, up to `threads`, shorten `count` such jobs of the operation: at least one.
 * Reads the shape and the halos of the job only. awake: whether workers are, so that less work is
 * worth one; else the number is the same in each run. */
int useful_threads(enum op op, const struct job *job, int64_t count, int threads, bool awake);

/* The shape of the operation's result. */
struct shape run_result_shape(enum op op, const struct shape *src);

/* What run_stack() returned, as a status: STATUS_DEVICE for a failure in words. */
enum status run_outcome(const struct variant *variant, const char *failure, struct error *error);

/* Runs a variant of the CPU, by the job's plan or by one of its own. *engine: what computed it, one
 * of the variant's engines or the variant. Fails as run_job does. */
enum status run_noting(const struct variant *variant, const struct job *job,
                       const struct variant **engine, struct error *error);

/* Runs the variant on a job whose images are in host memory: allocates scratch, and for the GPU
 * (gpu, else NULL) copies the images there and back. STATUS_UNSUPPORTED, with the reason, if the
 * variant refuses the job; STATUS_NO_MEMORY; STATUS_DEVICE if it fails. */
enum status run_job(const struct variant *variant, const struct job *job, struct gpu *gpu,
                    struct error *error);

#endif
