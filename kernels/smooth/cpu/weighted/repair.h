/* SPDX-License-Identifier: MIT */
/* The repair of single samples that estimates in floats leave unresolved. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_REPAIR_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_REPAIR_H

#include "kernels/smooth/cpu/weighted/loops.h"
#include "kernels/variant.h"

/* One thread's. */
struct weighted_repair {
    const struct job *job;
    bool in_doubles;               /* or else all samples are computed exactly */
    double bound;                  /* of the doubles' error, in grey levels */
    double *taps_x, *taps_y;       /* the window's */
    struct weighted_window window; /* without its first pixel */
};

/* in_floats: the estimates are. Takes its memory from *memory on, for weighted_repair_set_taps to
 * fill. */
struct weighted_repair weighted_repair_make(const struct job *job, bool in_floats,
                                            uintptr_t *memory);
void weighted_repair_set_taps(const struct weighted_repair *repair);

/* Returns the definition's sample x of row y; x in samples. Computes in doubles if their error
 * bound allows it, else exactly. */
uint32_t weighted_repair_sample(const struct weighted_repair *repair, int64_t y, int64_t x);

#endif
