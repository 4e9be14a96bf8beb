/* SPDX-License-Identifier: MIT */
/* The engine of arrays as plans run it: the scratch of a piece is that of all its threads. */
#include "kernels/common/arrays.h"
#include "kernels/common/parallel.h"
#include "kernels/smooth/arrays/scheme.h"

struct state {
    struct array_scratch scratch;
    struct array_scheme room; /* to count it in */
};

static const char *make(const struct request *request, void *memory)
{
    struct state *state = memory;

    state->scratch = array_scratch_of(request->arrays, &state->room);
    return NULL;
}

static size_t scratch_bytes(const struct request *request, const void *memory)
{
    const struct array_scratch *scratch = &((const struct state *)memory)->scratch;

    return scratch->shared + (size_t)request->arrays->threads * scratch->each;
}

static const char *run(const struct piece *piece)
{
    const struct array_scratch *bytes = &((const struct state *)piece->state)->scratch;
    struct array_job job = *piece->request->arrays;
    char *memory = piece->scratch;
    void *scratch[MAX_THREADS];

    job.src.origin = piece->src.origin;
    job.dst.origin = piece->dst.origin;
    for (int i = 0; i < job.threads; i++)
        scratch[i] = memory + bytes->shared + (size_t)i * bytes->each;
    array_run(&job, memory, scratch);
    return NULL;
}

const struct engine array_engine = {.name = "arrays",
                                    .make = make,
                                    .state_bytes = sizeof(struct state),
                                    .scratch_bytes = scratch_bytes,
                                    .run = run};
