/* SPDX-License-Identifier: MIT */
/* 8-bit samples by the estimate, the test and the repair that u8/weights.h proves. */
#ifndef SMOOTHIMG_SMOOTH_U8_H
#define SMOOTHIMG_SMOOTH_U8_H

#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/ring.h"
#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/u8/weights.h"
#include "kernels/variant.h"

/* As in struct variant. Only for jobs that smooth_u8_serves. */
size_t smooth_u8_scratch_bytes(const struct job *job);
const char *smooth_u8_run(const struct job *job);

/* For weighted/weighted.h, where alpha makes no difference. */

/* What all threads share. */
struct smooth_u8_plan {
    const struct job *job;
    const struct smooth_u8_loops *loops;
    const struct smooth_u8_weights *weights; /* the job's state, or: */
    struct smooth_u8_weights own;
    bool fused;          /* filter_fused serves */
    size_t thread_bytes; /* of scratch, for smooth_u8_run */
};

/* One thread's state. */
struct smooth_u8 {
    struct ring ring;
    const struct smooth_u8_plan *plan;
    int16_t *line;     /* room + 2 reach: a source row, as words or as bytes */
    uint8_t *bytes[2]; /* room: rows of the result that are no multiple of the block */
    struct unresolved unresolved[2];
    struct smooth_doubles doubles;
    int64_t dense; /* rows above this one go straight to the doubles */
};

/* For a job that smooth_u8_serves. */
void smooth_u8_make_plan(struct smooth_u8_plan *plan, const struct job *job);

/* Lays a thread's state out from *memory on; room: a multiple of U8_BLOCK. Before its first rows it
 * needs the plan. */
void smooth_u8_lay_out(struct smooth_u8 *estimate, const struct job *job, int64_t room,
                       uintptr_t *memory);
void smooth_u8_set_plan(struct smooth_u8 *estimate, const struct smooth_u8_plan *plan);

/* Goes on to the leader's segment, and writes rows of it, in any order from top to bottom. */
void smooth_u8_follow(struct smooth_u8 *estimate, const struct ring *leader);
void smooth_u8_give_rows(struct smooth_u8 *estimate, int64_t y, bool two);

#endif
