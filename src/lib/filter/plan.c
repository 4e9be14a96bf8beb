/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/plan.h"

#include "kernels/common/numbers.h"
#include "src/lib/filter/registry.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum status memory_need(void **memory, size_t *room, size_t bytes, const char *purpose,
                        struct error *error)
{
    void *made = NULL;

    if (bytes <= *room)
        return STATUS_OK;
    if (bytes <= PTRDIFF_MAX - MEMORY_UNIT)
        made = aligned_alloc(MEMORY_UNIT, (size_t)round_up((int64_t)bytes, MEMORY_UNIT));
    if (!made)
        return fail(error, STATUS_NO_MEMORY, "no memory for %s: %zu bytes are needed", purpose,
                    bytes);
    free(*memory);
    *memory = made;
    *room = (size_t)round_up((int64_t)bytes, MEMORY_UNIT);
    return STATUS_OK;
}

/* Plans with the engine that predicts the shortest time. If that engine refuses the request while
 * it makes its state, tries the next fastest; a lack of memory ends the search. */
enum status plan_make(const struct variant *variant, const struct request *request,
                      struct plan *plan, struct error *error)
{
    const struct engine *sorted[MOST_ENGINES];
    const char *refusal;
    const int count = engines_by_time(variant->engines, variant->count, request, sorted, &refusal);

    plan->request = *request;
    plan->least_room = 0;
    for (int i = 0; i < count; i++) {
        const struct engine *engine = sorted[i];
        const enum status status =
            memory_need(&plan->state, &plan->room, engine->state_bytes, "a plan", error);

        plan->engine = engine;
        if (status != STATUS_OK)
            return status;
        plan->least_room = (size_t)max((int64_t)plan->least_room,
                                       round_up((int64_t)engine->state_bytes, MEMORY_UNIT));
        refusal = engine->make ? engine->make(&plan->request, plan->state) : NULL;
        if (refusal && strcmp(refusal, NO_MEMORY_TO_MAKE) == 0)
            return fail(error, STATUS_NO_MEMORY, "%s", refusal);
        if (refusal)
            continue;
        plan->scratch_bytes =
            engine->scratch_bytes ? engine->scratch_bytes(&plan->request, plan->state) : 0;
        return STATUS_OK;
    }
    return fail(error, STATUS_UNSUPPORTED, "%s %s cannot do this: %s", op_words[variant->op],
                variant->name, refusal);
}

void plan_free(struct plan *plan)
{
    free(plan->state);
    plan->state = NULL;
    plan->room = 0;
}

enum status run_outcome(enum op op, enum backend backend, const struct plan *plan,
                        const char *failure, struct error *error)
{
    const char *whose = backend == ON_GPU ? "the GPU failed: starting " : "";

    return failure ? fail(error, STATUS_DEVICE, "%s%s %s: %s", whose, op_words[op],
                          plan->engine->name, failure)
                   : STATUS_OK;
}

/* The minimum work of a thread: with less work for each, an additional thread saves no time. The
 * work is counted in taps on samples of one byte; a tap is the product of one weight and the sum of
 * the two samples that have this weight. Measured: THREAD_WORK takes 6 us on a Zen 5 and 12 us on a
 * Xeon; waking a sleeping worker takes 3 to 8 us. On a virtual machine with two idle processors
 * waking takes 17 us, of which the caller spends 8; there a second thread with THREAD_WORK saves
 * nothing. A worker that still spins, waiting for work, begins within 1 us: AWAKE_WORK is enough
 * for it. Example: smoothing 256^2 bytes at halo 1 again and again on 16 processors of a Xeon takes
 * 12 us; with AWAKE_WORK twice as large, 16 us; with one thread, 21 to 36 us. */
#define THREAD_WORK (1 << 18)
#define AWAKE_WORK (1 << 16)
/* A tap on samples of several bytes takes as long as this many taps on samples of one byte. */
#define WIDE_TAPS 2
/* The work on a sample, in addition to its taps, takes as long as this many taps. */
#define SMOOTH_TAPS 4
#define MOVE_TAPS 2 /* moving a sample takes as long as this many taps */

int useful_threads(enum op op, const struct request *request, int64_t count, int threads,
                   bool awake)
{
    const struct view *src = &request->src;
    const double samples = (double)src->width * (double)src->height * src->channels * (double)count;
    const int64_t taps =
        (op == OP_SMOOTH ? request->halo_x + request->halo_y + SMOOTH_TAPS : MOVE_TAPS) *
        (src->sample_bytes > 1 ? WIDE_TAPS : 1);
    const int least = awake ? AWAKE_WORK : THREAD_WORK;

    return (int)fmax(fmin(samples * (double)taps / least, threads), 1);
}
