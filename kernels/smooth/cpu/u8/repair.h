/* SPDX-License-Identifier: MIT */
/* The repair of a single 8-bit sample that the estimate leaves unresolved. */
#ifndef SMOOTHIMG_SMOOTH_U8_REPAIR_H
#define SMOOTHIMG_SMOOTH_U8_REPAIR_H

#include "kernels/smooth/cpu/u8/loops.h"

/* Returns the definition's sample x of row y; x in samples. Computes in doubles if their error
 * bound allows it, else exactly. */
uint8_t smooth_u8_repaired(const struct job *job, const struct smooth_u8_loops *loops,
                           const struct smooth_u8_weights *weights, int64_t y, int64_t x);

#endif
