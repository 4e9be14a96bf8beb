/* SPDX-License-Identifier: MIT */
/* One operation on one picture: the request that all its variants are given, and the right result.
 */
#ifndef SMOOTHIMG_STAGE_H
#define SMOOTHIMG_STAGE_H

#include "src/bench/run/plane.h"
#include "src/lib/gpu/gpu.h"
#include "src/files/image/image.h"

struct stage {
    enum op op;
    const struct image *picture; /* not owned */
    struct image wanted;         /* the right result */
    struct image got;            /* where variants put theirs */
    struct plane_filter weights;
    struct request request; /* from the picture to got, in the host's memory */
    struct gpu *gpu;        /* not owned; NULL without one */
};

/* Fills *stage for the operation; wanted and got are allocated and unspecified. A picture of one
 * channel has no alpha. The caller frees it, after a failure too. */
enum status stage_make(struct stage *stage, enum op op, const struct image *picture, int64_t halo,
                       bool weighted, int threads, int block, struct gpu *gpu, struct error *error);

void stage_free(struct stage *stage);

/* Sets every sample of `got` to another value than the right one, so that a sample which a variant
 * does not write is wrong. */
void stage_poison(struct stage *stage);

/* Computes stage->wanted, by the reference if that takes some seconds at most; else by
 * the variant `cpu`, which is compared with the reference in patches of the image. Writes to
 * `checked`, of `size` bytes, a sentence that says which. STATUS_DIFFERENT if a patch differs. */
enum status stage_compute_wanted(struct stage *stage, char *checked, size_t size,
                                 struct error *error);

/* Would the reference take too long for all of the picture? */
bool stage_is_long(const struct stage *stage);

#endif
