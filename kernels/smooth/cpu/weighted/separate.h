/* SPDX-License-Identifier: MIT */
/* Rows of a weighted job where alpha makes no difference (weighted/even.h), as any other channels:
 * through u8/u8.h or cpu/doubles/doubles.h, which have rings of their own. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_SEPARATE_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_SEPARATE_H

#include "kernels/smooth/cpu/u8/u8.h"

/* One thread's state. */
struct weighted_separate {
    bool in_u8;
    struct smooth_u8 u8;           /* if in_u8 */
    struct smooth_doubles doubles; /* if not */
};

/* Lays it out from *memory on, for segments of `room` samples at most. */
void weighted_separate_lay_out(struct weighted_separate *separate, const struct job *job,
                               int64_t room, uintptr_t *memory);

/* Prepares it for its first segment. plan: if in_u8. */
void weighted_separate_begin(struct weighted_separate *separate, const struct smooth_u8_plan *plan);

/* Goes on to the leader's segment, and writes rows of it, in any order from top to bottom. */
void weighted_separate_follow(struct weighted_separate *separate, const struct ring *leader);
void weighted_separate_give_rows(struct weighted_separate *separate, int64_t y, bool two);

#endif
