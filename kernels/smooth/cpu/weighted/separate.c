/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/separate.h"

#include "kernels/common/numbers.h"

_Static_assert(U8_BLOCK % DOUBLES_BLOCK == 0, "one room serves both");

void weighted_separate_lay_out(struct weighted_separate *separate, const struct job *job,
                               int64_t room, uintptr_t *memory)
{
    separate->in_u8 = smooth_u8_serves(job);
    if (separate->in_u8)
        smooth_u8_lay_out(&separate->u8, job, round_up(room, U8_BLOCK), memory);
    else
        smooth_doubles_lay_out(&separate->doubles, job, round_up(room, U8_BLOCK), memory);
}

void weighted_separate_begin(struct weighted_separate *separate, const struct smooth_u8_plan *plan)
{
    if (separate->in_u8)
        smooth_u8_set_plan(&separate->u8, plan);
    else
        smooth_doubles_set_taps(&separate->doubles);
}

void weighted_separate_follow(struct weighted_separate *separate, const struct ring *leader)
{
    if (separate->in_u8)
        smooth_u8_follow(&separate->u8, leader);
    else
        ring_follow(&separate->doubles.ring, leader);
}

void weighted_separate_give_rows(struct weighted_separate *separate, int64_t y, bool two)
{
    if (separate->in_u8)
        smooth_u8_give_rows(&separate->u8, y, two);
    else
        smooth_doubles_give_rows(&separate->doubles, y, two);
}
