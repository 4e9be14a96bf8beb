/* SPDX-License-Identifier: MIT */
/* The fused smooth on Hopper's tensor cores, for one channel of 8 bits and halos to 16. Sums along
 * a row are a product of a matrix of weights with the image, whose bytes are the operand as they
 * lie in memory; the sums' digits are, register by register, the operand of the product down the
 * columns. fp16/bound.cuh has the arithmetic, fp16/repair.cuh what is done about
 * unresolved samples.
 *
 * A block smooths a strip 256 outputs wide, downwards. Four warps compute, each 64 columns, in
 * steps of eight rows; one or two more bring the image (16 rows at a time, by TMA), repair, and
 * take the outputs away (32 rows at a time, by TMA): a round. Rings of shared memory lie between,
 * with barriers: `full` (a group of rows has come), `done` (a round is computed), `freed` (its
 * buffer may be filled again).
 *
 * The plan is that of the project's measurements on an H200; the numbers are in NOTES.md. */
#ifndef SMOOTHIMG_FUSED_FP16_SHAPE_CUH
#define SMOOTHIMG_FUSED_FP16_SHAPE_CUH

#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/fused/fp16/tables.cuh"
#include "kernels/smooth/fused/fp16/mma.cuh"

#define COMPUTING 4                 /* warps */
#define FP16_STRIP (64 * COMPUTING) /* outputs in a row of a strip */
#define TILES 4                     /* of 16 outputs in a warp's 64 */
#define STEP_ROWS 8
#define ROUND_STEPS 4
#define ROUND_ROWS (STEP_ROWS * ROUND_STEPS)
#define GROUP_ROWS 16
#define ROW_BYTES 128 /* of a box of the TMA: one line, swizzled */
#define GROUP_BYTES (FP16_STRIP / ROW_BYTES * GROUP_ROWS * ROW_BYTES)
#define ROUND_BYTES (FP16_STRIP / ROW_BYTES * ROUND_ROWS * ROW_BYTES)
#define QUEUE 16        /* lanes' steps with unresolved samples that a warp may queue in a round */
#define MAX_REPAIRS 128 /* samples that a helping warp repairs in a round */

/* What depends on the halo. BLOCKS: of eight rows that the windows of eight rows of outputs touch.
 */
template <int BLOCKS_, int DIGITS_> struct fp16_shape {
    static constexpr int blocks = BLOCKS_, digits = DIGITS_;
    static constexpr bool wide = blocks > 3;       /* 16 outputs need 48 samples of a row, not 32 */
    static constexpr int before = wide ? 16 : 8;   /* samples left of the outputs */
    static constexpr int registers = wide ? 6 : 4; /* of a digit's weights */
    static constexpr int most_halo = 4 * (blocks - 1);
    static constexpr bool late = blocks != 3 || digits == 2; /* the offset comes after the sums */
    static constexpr int helpers = wide ? 2 : 1;
    static constexpr int groups = wide ? 9 : 6; /* on their way or in use */
    static constexpr int rounds = wide ? 4 : 2; /* buffers of outputs */
    static constexpr int resident = blocks == 2 ? 4 : digits == 2 ? 4 : wide ? 2 : 3; /* an SM */
    static constexpr int side_row = 2 * before; /* bytes of a row right of the strip's boxes */
    static constexpr int side_bytes = GROUP_ROWS * side_row;
    static constexpr int threads = 32 * (COMPUTING + helpers);
};

/* Doubts of a round, as the computing warps leave them: of each, a lane's sixteen fractions. */
struct fp16_queue {
    uint32_t fractions[COMPUTING][QUEUE][8];
    uint16_t where[COMPUTING][QUEUE]; /* 32 step + lane */
    uint32_t count[COMPUTING];        /* may pass QUEUE */
};

template <class Shape> struct fp16_memory {
    uint8_t out[Shape::rounds][ROUND_BYTES]; /* [128 columns][row][128], swizzled */
    uint8_t in[Shape::groups][GROUP_BYTES];  /* the same */
    uint8_t side[Shape::groups][Shape::side_bytes];
    uint64_t full[Shape::groups];
    uint64_t done[Shape::rounds];
    uint64_t freed[Shape::rounds];
    alignas(16) fp16_queue queue[Shape::rounds];
    uint32_t taps[Shape::most_halo + 1];
    alignas(16) uint32_t total[Shape::helpers][32];
    uint16_t samples[Shape::helpers][MAX_REPAIRS];
};

/* A strip's work, and the arguments that all roles share. */
struct fp16_work {
    int column, row; /* of its first output */
    int steps;       /* with those that only fill the window */
    int rounds;
    int64_t width, height;
};

/* Where the byte lies that is `offset` right of the window's left end, in row r of a group,
 * relative to the group; a multiple of 16 stays one. The TMA's swizzle exchanges 16-byte pieces of
 * a line by the row, so that eight rows' pieces lie in different banks. */
__device__ __forceinline__ uint32_t swizzled(uint32_t offset, uint32_t row, uint32_t rows)
{
    return offset / ROW_BYTES * (rows * ROW_BYTES) + row * ROW_BYTES +
           ((offset % ROW_BYTES) ^ (row % 8 * 16));
}

#endif
