/* SPDX-License-Identifier: MIT */
/* A plan holds the engine that was chosen for a request, and that engine's state. A plan is made
 * once and used for many pieces; a piece is the part of a request that one call computes. */
#ifndef SMOOTHIMG_ENGINE_H
#define SMOOTHIMG_ENGINE_H

#include "kernels/variant.h"

/* A plan does not change after it is made, so any number of threads may use it at the same time. */
struct plan {
    struct request request;
    const struct engine *engine;
    void *state;          /* aligned to 64 bytes; the first engine->state_bytes are used */
    size_t room;          /* allocated bytes of `state` */
    size_t least_room;    /* bytes that would be allocated if `state` had been NULL */
    size_t scratch_bytes; /* working memory for one piece */
};

#define MOST_ENGINES 16 /* greatest number of engines of a variant */

/* Stores in sorted[] the engines of a variant that do not refuse the request, sorted by the time
 * that they predict, the shortest first. Returns their number. Calls `seconds` once for each of
 * them that has this member. *refusal is the reason of the last engine that refuses, or NULL. */
static inline int engines_by_time(const struct engine *engines, int count,
                                  const struct request *request,
                                  const struct engine *sorted[MOST_ENGINES], const char **refusal)
{
    double seconds[MOST_ENGINES];
    int accepting = 0;

    *refusal = NULL;
    for (const struct engine *engine = engines; engine < engines + count; engine++) {
        const char *reason = engine->refuses ? engine->refuses(request) : NULL;
        const double own = !reason && engine->seconds ? engine->seconds(request) : 0;
        int place = accepting;

        if (reason) {
            *refusal = reason;
            continue;
        }
        for (; place > 0 && seconds[place - 1] > own; place--) {
            seconds[place] = seconds[place - 1];
            sorted[place] = sorted[place - 1];
        }
        seconds[place] = own;
        sorted[place] = engine;
        accepting++;
    }
    return accepting;
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
