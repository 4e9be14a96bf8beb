/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/u8/repair.h"

#include "kernels/smooth/cpu/exact.h"

uint8_t smooth_u8_repaired(const struct job *job, const struct smooth_u8_loops *loops,
                           const struct smooth_u8_weights *weights, int64_t y, int64_t x)
{
    const struct view *src = &job->src;
    const uint8_t *window =
        (const uint8_t *)src->origin + (y - job->halo_y) * src->stride_bytes + x - weights->reach;

    if (loops->filter_sample && weights->reach <= U8_MAX_REACH) {
        const double raised = loops->filter_sample(window, src->stride_bytes, weights) + 0.5;
        const double rest = raised - (double)(uint32_t)raised; /* never negative */

        if (rest > weights->repair_bound && rest < 1 - weights->repair_bound)
            return (uint8_t)(raised < job->maxval ? (uint32_t)raised : job->maxval);
    }
    return (uint8_t)smooth_exact_sample(job, y, x);
}
