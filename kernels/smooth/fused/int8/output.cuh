/* SPDX-License-Identifier: MIT */
/* Stores the outputs of fused_int8, and queues those that are unresolved.
 *
 * A sample is unresolved if the error bound does not prove its rounding. A step is eight rows. A
 * tile is 16 samples of a row, or, with planes (one for each channel), 16 pixels of a channel. */
#ifndef SMOOTHIMG_FUSED_INT8_OUTPUT_CUH
#define SMOOTHIMG_FUSED_INT8_OUTPUT_CUH

#include "kernels/smooth/fused/int8/memory.cuh"

/* The destination of a lane's stores. In every eight rows of outputs a lane stores 16 bytes of one
 * row, or, with 16-bit samples, 16 bytes of each of two rows. */
struct int8_target {
    char *next;
    uint32_t unit; /* address in shared memory of the lane's 16 bytes */
    int64_t stride;
    int bytes; /* bytes from the lane's first one to the end of the warp's row; may be negative */
    int rows;  /* number of rows from the lane's first row to the thread block's last row */
};

template <class Shape>
__device__ __forceinline__ int8_target target_of_block(const view &dst, int64_t sample, int64_t row,
                                                       int rows, uint32_t out, unsigned lane)
{
    constexpr unsigned in_row = Shape::tiles * Shape::bytes; /* lanes of a row */
    const int down = (int)(lane / in_row), right = (int)(lane % in_row) * 16;
    const int samples = (int)min(dst.width * dst.channels - sample, (int64_t)Shape::warp_samples);
    /* With three tiles in a warp, a row takes 3 or 6 lanes, so some lanes have nothing to write. */
    const bool writes = down < 8 / Shape::bytes;

    return {row_of<char>(dst, row + down) + sample * Shape::bytes + right,
            kept(out + lane / in_row * Shape::out_row + lane % in_row * 16), dst.stride_bytes,
            samples * Shape::bytes - right, writes ? rows - down : 0};
}

/* Writes a step's outputs to the warp's shared memory, from which store_step() reads 16 bytes at a
 * time. Each lane has two neighbouring pixels of a row, or, with one plane, two neighbouring
 * samples; each of its stores writes two samples. to: the lane's address. t: the totals of
 * sum_down_columns(). */
template <class Shape>
__device__ __forceinline__ void lay_out_step(uint32_t to, const uint32_t (&t)[Shape::tiles][4])
{
    constexpr int planes = Shape::planes;

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile += planes)
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int sample = 0; sample < 2 * planes; sample += 2) {
                const uint32_t first = t[tile + sample % planes][sample / planes * 2 + i];
                const uint32_t second =
                    t[tile + (sample + 1) % planes][(sample + 1) / planes * 2 + i];
                const uint32_t pair =
                    to + (uint32_t)(i * Shape::out_row + (16 * tile + sample) * Shape::bytes);

                if constexpr (Shape::bytes == 1)
                    store_shared(pair, (uint16_t)__byte_perm(first, second, 0x0073));
                else
                    store_shared(pair, __byte_perm(first, second, 0x7632));
            }
}

/* Stores the outputs of a step, which is eight rows. A lane stores 16 bytes of a row at a time, or
 * fewer at the end of the image's row. */
template <class Shape>
__device__ __forceinline__ void store_step(int8_target &target, uint32_t out,
                                           const uint32_t (&t)[Shape::tiles][4])
{
    constexpr int rows = 8 / Shape::bytes; /* rows that the lanes write at once */

    __syncwarp(); /* all lanes have read the outputs of the step before */
    lay_out_step<Shape>(out, t);
    __syncwarp();
#pragma unroll
    for (int row = 0; row < 8; row += rows) {
        const uint32_t unit = target.unit + (uint32_t)(row * Shape::out_row);
        char *there = target.next + row * target.stride;

        if (row < target.rows && target.bytes >= 16)
            *reinterpret_cast<uint4 *>(there) = load_shared<uint4>(unit);
        else if (row < target.rows)
#pragma unroll 1
            for (int byte = 0; byte < target.bytes; byte++)
                there[byte] = load_shared<char>(unit + (uint32_t)byte);
    }
    target.next += 8 * target.stride;
    target.rows -= 8;
}

/* True if any sample may be unresolved: the upper 16 bits of its fraction are at most the upper 16
 * bits of the threshold. */
template <class Shape>
__device__ __forceinline__ bool any_low(const uint32_t (&t)[Shape::tiles][4], uint32_t threshold)
{
    constexpr uint32_t fractions = Shape::bytes == 1 ? 0x6521 : 0x5410;
    uint32_t lowest = 0xffffffff;

#pragma unroll
    for (int tile = 0; tile < Shape::tiles; tile++)
#pragma unroll
        for (int i = 0; i < 4; i += 2)
            lowest = __vminu2(lowest, __byte_perm(t[tile][i], t[tile][i + 1], fractions));
    return min(lowest & 0xffff, lowest >> 16) <= threshold >> 16;
}

/* Queues the unresolved samples of a step, which is eight rows, if they are inside part.columns and
 * part.rows. */
template <class Shape>
__device__ __forceinline__ void
queue_unresolved(unresolved_queue &queue, const queue_part &part, const int8_plan &plan,
                 const uint32_t (&t)[Shape::tiles][4], int step, int lane)
{
    uint32_t which = 0;

    if (!__any_sync(0xffffffff, any_low<Shape>(t, plan.unresolved)))
        return;
#pragma unroll
    for (int i = 0; i < 4 * Shape::tiles; i++)
        which |= (t[i / 4][i % 4] << (8 * Shape::bytes) < plan.unresolved ? 1u : 0u) << i;
#pragma unroll 1
    for (; __any_sync(0xffffffff, which != 0); which &= which - 1) {
        const int number = __ffs((int)which) - 1; /* index among the lane's totals */
        const int tile = number / 4, plane = tile % Shape::planes;
        const int row = 8 * step + lane % 4 * 2 + number % 2;
        const int column =
            16 * (tile - plane) + (lane / 4 * 2 + number / 2 % 2) * Shape::planes + plane;

        if (which && row < part.rows && column < part.columns)
            queue_sample(queue, row, column);
    }
}

#endif
