/* SPDX-License-Identifier: MIT */
#include "src/lib/run/run.h"

#include "kernels/common/engine.h"
#include "src/lib/filter/engine_plan.h"
#include "src/lib/filter/registry.h"

#include <math.h>
#include <stdlib.h>

/* The least work of a thread, in additions of bytes: 6 us on a Zen 5 and 12 on a Xeon. To wake a
 * worker that sleeps takes 3 to 8 us, and on a virtual machine with two idle processors 17, of
 * which 8 are the caller's: two threads then take as long as one. One that still looks for work
 * begins within 1 us: AWAKE_WORK. By 16 processors of a Xeon, call after call, 256^2 bytes at halo
 * 1 take 12 us, with twice AWAKE_WORK 16, and by one thread 21 to 36. */
#define THREAD_WORK (1 << 18)
#define AWAKE_WORK (1 << 16)
#define WIDE_TAPS 2   /* a tap of samples that are no bytes takes as long as so many, about */
#define SMOOTH_TAPS 4 /* additions a sample, beside those of the halos */
#define MOVE_TAPS 2   /* a sample's move takes as long as so many, about */

int useful_threads(enum op op, const struct job *job, int64_t count, int threads, bool awake)
{
    const struct view *src = &job->src;
    const double samples = (double)src->width * (double)src->height * src->channels * (double)count;
    const int64_t taps = (op == OP_SMOOTH ? job->halo_x + job->halo_y + SMOOTH_TAPS : MOVE_TAPS) *
                         (src->sample_bytes > 1 ? WIDE_TAPS : 1);
    const int least = awake ? AWAKE_WORK : THREAD_WORK;

    return (int)fmax(fmin(samples * (double)taps / least, threads), 1);
}

struct shape run_result_shape(enum op op, const struct shape *src)
{
    struct shape shape = *src;

    if (op == OP_TRANSPOSE) {
        shape.width = src->height;
        shape.height = src->width;
    }
    return shape;
}

enum status run_outcome(const struct variant *variant, const char *failure, struct error *error)
{
    const char *whose = variant->backend == ON_GPU ? "the GPU failed: starting " : "";

    return failure ? fail(error, STATUS_DEVICE, "%s%s %s: %s", whose, op_word(variant->op),
                          variant->name, failure)
                   : STATUS_OK;
}

static enum status allocate_scratch(const struct variant *variant, struct job *job,
                                    struct error *error)
{
    const size_t bytes = scratch_bytes_of(variant, job);

    if (bytes == 0)
        return STATUS_OK;
    job->scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return job->scratch
               ? STATUS_OK
               : fail(error, STATUS_NO_MEMORY, "no memory: %s %s needs %zu bytes to work in",
                      op_word(variant->op), variant->name, bytes);
}

enum status run_noting(const struct variant *variant, const struct job *job,
                       const struct variant **engine, struct error *error)
{
    struct engine_plan plan;
    struct job run = *job;
    enum status status = STATUS_OK;

    if (!job->engine) {
        status = engine_plan_make(variant, job, &plan, error);
        if (status == STATUS_OK)
            run = engine_plan_job(&plan, job);
    }
    if (status == STATUS_OK)
        status = allocate_scratch(variant, &run, error);
    if (status == STATUS_OK)
        status = run_outcome(variant, run_stack(variant, &run), error);
    free(run.scratch);
    *engine = run.engine;
    return status;
}

enum status run_job(const struct variant *variant, const struct job *job, struct gpu *gpu,
                    struct error *error)
{
    const struct variant *unused;

    return variant->backend == ON_GPU ? gpu_run(gpu, variant, job, NULL, error)
                                      : run_noting(variant, job, &unused, error);
}
