/* SPDX-License-Identifier: MIT */
/* One operation on one picture: the request that all its variants compute, and the right result. */
#ifndef SMOOTHIMG_STAGE_H
#define SMOOTHIMG_STAGE_H

#include "src/bench/run/plane.h"
#include "src/lib/gpu/gpu.h"
#include "src/files/image/image.h"

struct stage {
    enum op op;
    const struct image *picture; /* not owned */
    struct image wanted;         /* the right result */
    struct image got;            /* where variants write their results */
    struct plane_filter weights;
    struct request request; /* computes `got` from the picture, in the host's memory */
    struct gpu *gpu;        /* not owned; NULL without a GPU */
};

/* Fills *stage for the operation. `wanted` and `got` are allocated, but have no results yet.
 * `weighted` has no effect on a picture with one channel, which has no alpha. The caller frees the
 * stage, after a failure too. */
enum status stage_make(struct stage *stage, enum op op, const struct image *picture, int64_t halo,
                       bool weighted, int threads, int block, struct gpu *gpu, struct error *error);

void stage_free(struct stage *stage);

/* Sets every sample of `got` to a wrong value, so that the comparison finds samples that a variant
 * does not write. */
void stage_poison(struct stage *stage);

/* Computes stage->wanted by the variant `reference`, if that takes at most about two seconds. Else
 * computes it by the variant `cpu`, and compares patches (rectangles) of it with results of the
 * reference. Writes to `checked`, which has `size` bytes, a sentence that says which variant
 * computed it. Returns STATUS_DIFFERENT if a patch differs. */
enum status stage_compute_wanted(struct stage *stage, char *checked, size_t size,
                                 struct error *error);

/* Returns true if the reference would need more than about two seconds for the whole picture. */
bool stage_is_long(const struct stage *stage);

#endif
