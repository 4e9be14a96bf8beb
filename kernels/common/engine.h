/* SPDX-License-Identifier: MIT */
/* A plan holds the engine that was chosen for a request, and that engine's state. It is made once
 * and used for many pieces; a piece is the part of a request that one call computes. Engines are
 * run only through plans. */
#ifndef SMOOTHIMG_ENGINE_H
#define SMOOTHIMG_ENGINE_H

#include "kernels/variant.h"

#include <float.h>

/* A plan does not change after it is made, so any number of threads may use it at the same time. */
struct plan {
    struct request request;
    const struct engine *engine;
    void *state;          /* aligned to 64 bytes; the first engine->state_bytes are used */
    size_t room;          /* allocated bytes of `state` */
    size_t scratch_bytes; /* for one piece */
};

#define MOST_ENGINES 16 /* greatest number of engines of a variant */

/* The time in seconds that each engine of a variant predicts for a request. offers_of() calls the
 * member `seconds` of an engine once, and only if the engine does not refuse. */
struct offers {
    const struct engine *engines;
    int count;
    double seconds[MOST_ENGINES]; /* DBL_MAX: the engine refuses */
    const char *refusal;          /* the reason of the last engine that refuses */
};

static inline struct offers offers_of(const struct engine *engines, int count,
                                      const struct request *request)
{
    struct offers offers = {engines, count, {0}, NULL};

    for (int i = 0; i < count; i++) {
        const char *refusal = engines[i].refuses ? engines[i].refuses(request) : NULL;

        if (refusal)
            offers.refusal = refusal;
        offers.seconds[i] = refusal              ? DBL_MAX
                            : engines[i].seconds ? engines[i].seconds(request)
                                                 : 0;
    }
    return offers;
}

/* Returns the engine that predicts the least time, and removes it from *offers; NULL if none is
 * left. */
static inline const struct engine *offers_take(struct offers *offers)
{
    double least = DBL_MAX;
    int best = -1;

    for (int i = 0; i < offers->count; i++)
        if (offers->seconds[i] < least) {
            least = offers->seconds[i];
            best = i;
        }
    if (best < 0)
        return NULL;
    offers->seconds[best] = DBL_MAX;
    return &offers->engines[best];
}

/* Returns a piece that is the whole request, without scratch memory. */
static inline struct piece plan_piece(const struct plan *plan)
{
    const struct request *request = &plan->request;
    const struct piece piece = {request,
                                plan->state,
                                request->src,
                                request->dst,
                                request->beside,
                                request->images > 0 ? request->images : 1,
                                NULL,
                                NULL};

    return piece;
}

/* Computes all images of the piece; one call of run() computes at most engine->stack of them.
 * Returns NULL, or a static string that says what failed. */
static inline const char *plan_run(const struct plan *plan, const struct piece *piece)
{
    const int64_t most = plan->engine->stack > 0 ? plan->engine->stack : 1;
    struct piece part = *piece;
    const char *failure;

    for (;;) {
        const int64_t left = part.images;

        part.images = left < most ? left : most;
        failure = plan->engine->run(&part);
        if (failure || left <= most)
            return failure;
        part.images = left - most;
        part.src.origin = (char *)part.src.origin + most * plan->request.src_apart;
        part.dst.origin = (char *)part.dst.origin + most * plan->request.dst_apart;
    }
}

#endif
