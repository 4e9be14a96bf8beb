/* SPDX-License-Identifier: MIT */
/* What samples are in reach of a block of results: for the bound of these, which is that of the
 * greatest one. */
#ifndef SMOOTHIMG_SMOOTH_FLOAT_REACH_H
#define SMOOTHIMG_SMOOTH_FLOAT_REACH_H

#include "kernels/smooth/cpu/floats/loops.h"
#include "kernels/smooth/cpu/ring.h"

#define FLOAT_ROOM 8192 /* samples of a segment, at most */
#define FLOAT_BLOCKS (FLOAT_ROOM / DOUBLES_BLOCK)

/* Of a block of DOUBLES_BLOCK samples in one source row, or in several. */
struct float_reach {
    uint32_t peak; /* the greatest of the finite samples' bits, without the sign */
    uint8_t kinds; /* of the others: enum float_kind */
    bool negative; /* some sample has a sign */
};

/* What the ring notes of a row of its segment. */
struct float_note {
    struct float_reach blocks[FLOAT_BLOCKS]; /* in reach of each */
} __attribute__((aligned(64)));

/* A source row in doubles, with what is in each of its blocks; the memory is the caller's. */
struct float_line {
    double *values;
    uint32_t *tops, *signs; /* as smooth_float_loops.widen gives them */
    struct float_reach *blocks;
};

/* Fills the line with the samples at src. A NaN becomes 0. */
void float_line_take(const struct float_line *line, const struct smooth_float_loops *loops,
                     const uint32_t *src, int64_t length);

/* Sets the blocks of a note: what blocks of the line have samples in reach of each. */
void float_reach_note(const struct ring *ring, const struct float_reach *line,
                      struct float_note *note);

/* Joins the notes of the rows in reach of two rows of the result, block by block. Returns what is
 * in any of the blocks. */
struct float_reach float_reach_of(const struct ring *ring, void *const *rows,
                                  struct float_reach *blocks);

#endif
