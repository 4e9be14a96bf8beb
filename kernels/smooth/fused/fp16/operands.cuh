/* SPDX-License-Identifier: MIT */
/* Reads operands from the image for the computing warps of fused_fp16: columns of 16 bytes as they
 * are in memory, or, with planes, the gathered bytes of one channel.
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. A step is 8 of these rows. A
 * tile is 16 columns of outputs; with planes (one for each channel), 16 pixels of a channel. */
#ifndef SMOOTHIMG_FUSED_FP16_OPERANDS_CUH
#define SMOOTHIMG_FUSED_FP16_OPERANDS_CUH

#include "kernels/smooth/fused/fp16/shape.cuh"
#include "kernels/smooth/fused/int8/planes.cuh"

/* A place in the ring buffer of groups (of 16 rows) at which a lane reads. */
struct fp16_place {
    uint32_t address;     /* the place's address in the first group and step */
    uint32_t group, step; /* bytes from one group, or step, to the next */
};

/* Returns where byte `column` of row `row` of a group is. Byte 0 is the first one of the block's
 * row in shared memory, Shape::before samples before its first output. */
template <class Shape>
__device__ __forceinline__ fp16_place place_of_input(const fp16_memory<Shape> &memory, int column,
                                                     int row)
{
    const uint32_t in = shared_address(memory.in), x = (uint32_t)column, y = (uint32_t)row;

    if constexpr (Shape::planes > 1)
        return {in + boxed(x, y, GROUP_ROWS, Shape::in_box), Shape::in_bytes,
                STEP_ROWS * Shape::in_box};
    if (column < Shape::columns)
        return {in + swizzled(x, y, GROUP_ROWS), Shape::in_bytes, STEP_ROWS * ROW_BYTES};
    return {shared_address(memory.side) + y * Shape::side_row + x - Shape::columns,
            Shape::side_bytes, STEP_ROWS * Shape::side_row};
}

/* The addresses that a lane reads in a step. With one plane, columns of 16 bytes are loaded: two
 * calls of load_matrices() load columns 0 1 1 2 and 2 3 3 4, and load_matrix() loads column 5. For
 * folded operands (tables.cuh) these are columns 1 0 2 1, 3 2 4 3, and 5. With several planes, the
 * addresses are where the lane's four pixels of each 16 pixels of the row begin. */
template <class Shape> struct fp16_window {
    static constexpr int reads =
        Shape::planes == 1 ? 3 : Shape::tiles / Shape::planes + 1 + Shape::wide;
    fp16_place places[reads];
};

template <class Shape>
__device__ __forceinline__ fp16_window<Shape> window_of_lane(const fp16_memory<Shape> &memory,
                                                             int warp, int lane)
{
    const int left = Shape::warp_columns * warp;
    fp16_window<Shape> window;

    if constexpr (Shape::planes == 1) {
        const int matrix = lane / 8;
        const int pair = Shape::folded ? 1 + matrix / 2 - matrix % 2 : (matrix + 1) / 2;

        window.places[0] = place_of_input(memory, left + 16 * pair, lane % 8);
        window.places[1] = place_of_input(memory, left + 16 * pair + 32, lane % 8);
        window.places[2] = place_of_input(memory, left + 80, lane % 8);
    } else {
#pragma unroll
        for (int i = 0; i < window.reads; i++)
            window.places[i] = place_of_input(
                memory, left + Shape::skip + (16 * i + 4 * (lane % 4)) * Shape::planes, lane / 4);
    }
    return window;
}

/* Returns the window's addresses in a slot of the ring of groups (of 16 rows). */
template <class Shape>
__device__ __forceinline__ fp16_window<Shape> window_in_slot(fp16_window<Shape> window, int slot)
{
#pragma unroll
    for (int i = 0; i < window.reads; i++)
        window.places[i].address += (uint32_t)slot * window.places[i].group;
    return window;
}

/* Wide: loads bytes 0..15, 16..31 and 32..47 of each tile's row as its three operands. Folded:
 * loads bytes 16..31 as one operand, and as another the 8 bytes after these and the 8 bytes before
 * them. */
template <class Shape>
__device__ __forceinline__ void load_columns(uint32_t (&operands)[Shape::tiles][3],
                                             const fp16_window<Shape> &window, int half)
{
    uint32_t left[4], right[4], beyond = 0;
    const uint32_t steps = (uint32_t)half;

    load_matrices(left, window.places[0].address + steps * window.places[0].step);
    load_matrices(right, window.places[1].address + steps * window.places[1].step);
    if constexpr (Shape::wide || Shape::folded)
        load_matrix(beyond, window.places[2].address + steps * window.places[2].step);
#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile++) {
        const uint32_t(&pair)[4] = tile < 2 ? left : right;

        operands[tile][0] = pair[tile % 2 * 2];
        operands[tile][1] = pair[tile % 2 * 2 + 1];
        if constexpr (Shape::folded) {
            const uint32_t next = tile == 0   ? left[2]
                                  : tile == 1 ? right[0]
                                  : tile == 2 ? right[2]
                                              : beyond;

            operands[tile][1] = threadIdx.x % 4 < 2 ? next : operands[tile][1];
        } else {
            operands[tile][2] = tile == 0   ? right[0]
                                : tile == 1 ? right[1]
                                : tile == 2 ? right[3]
                                            : beyond;
        }
    }
}

template <class Shape>
__device__ __forceinline__ void load_planes_of_tiles(uint32_t (&operands)[Shape::tiles][3],
                                                     const fp16_window<Shape> &window, int half)
{
#pragma unroll
    for (int read = 0; read < window.reads; read++) {
        const fp16_place &place = window.places[read];
        uint32_t words[Shape::planes], bytes[Shape::planes];

        load_words(words, place.address + (uint32_t)half * place.step);
        gather_planes<Shape>(bytes, words);
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile++) {
            const int operand = read - tile / Shape::planes; /* index in operands[tile], if valid */

            if (operand >= 0 && operand < 2 + Shape::wide)
                operands[tile][operand] = bytes[tile % Shape::planes];
        }
    }
}

template <class Shape>
__device__ __forceinline__ void load_operands(uint32_t (&operands)[Shape::tiles][3],
                                              const fp16_window<Shape> &window, int half)
{
    if constexpr (Shape::planes == 1)
        load_columns<Shape>(operands, window, half);
    else
        load_planes_of_tiles<Shape>(operands, window, half);
}

#endif
