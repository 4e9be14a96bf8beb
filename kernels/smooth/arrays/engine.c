/* SPDX-License-Identifier: MIT */
/* The engine of arrays as plans run it: the scratch of a piece is that of all its threads. */
#include "kernels/common/arrays.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/arrays/scheme.h"

#define ALIGNMENT 64

struct state {
    size_t bytes;             /* of a thread's scratch */
    struct array_scheme room; /* to count them in */
};

static const char *make(const struct request *request, void *state)
{
    struct state *made = state;
    const size_t bytes = array_scratch_bytes(request->arrays, &made->room);

    made->bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return NULL;
}

static size_t scratch_bytes(const struct request *request, const void *state)
{
    return (size_t)request->arrays->threads * ((const struct state *)state)->bytes;
}

static const char *run(const struct piece *piece)
{
    const struct state *state = piece->state;
    struct array_job job = *piece->request->arrays;
    void *scratch[MAX_THREADS];

    job.src.origin = piece->src.origin;
    job.dst.origin = piece->dst.origin;
    for (int i = 0; i < job.threads; i++)
        scratch[i] = (char *)piece->scratch + (size_t)i * state->bytes;
    array_run(&job, scratch);
    return NULL;
}

const struct engine array_engine = {.name = "arrays",
                                    .make = make,
                                    .state_bytes = sizeof(struct state),
                                    .scratch_bytes = scratch_bytes,
                                    .run = run};
