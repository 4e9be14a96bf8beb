/* SPDX-License-Identifier: MIT */
/* The shared memory of fused_int8, and the copies of the image into it. */
#ifndef SMOOTHIMG_FUSED_INT8_MEMORY_CUH
#define SMOOTHIMG_FUSED_INT8_MEMORY_CUH

#include "kernels/smooth/fused/int8/operands.cuh"

#include <cuda_pipeline_primitives.h>

#define INT8_MARKED_STEPS 16 /* of a thread block that repairs its own samples, at most */
#define INT8_QUEUE 64        /* unresolved samples of a warp, before the queue is emptied */

/* A block's shared memory. */
template <class Shape> struct int8_memory {
    static constexpr int out_row = Shape::warp_samples * Shape::bytes + 16; /* fewer conflicts */

    int8_tables tables;
    uint4 *offset;                             /* plan.offset, four times */
    uint4 (*history)[Shape::row_tiles][32];    /* [8 rows][tile][lane]: V, but for the last rows */
    char *in;                                  /* [stage][8 rows][row_bytes] */
    char *out;                                 /* [warp][8 rows][out_row] */
    uint32_t (*queue)[INT8_QUEUE];             /* [warp][entry]: see int8_queue */
    uint16_t (*marks)[32 * INT8_MARKED_STEPS]; /* [warp][step, lane]: where there is no list */
};

/* marked: with marks. */
template <class Shape>
__host__ __device__ static inline size_t int8_shared_bytes(const int8_plan &plan, bool marked)
{
    return (marked ? sizeof(uint16_t[INT8_WARPS][32 * INT8_MARKED_STEPS]) : 0) +
           tables_bytes(plan) + sizeof(uint4) +
           (size_t)(plan.down_blocks - 1) * sizeof(uint4[Shape::row_tiles][32]) +
           (size_t)(INT8_STAGES * 8 * plan.row_bytes) +
           INT8_WARPS * 8 * int8_memory<Shape>::out_row + sizeof(uint32_t[INT8_WARPS][INT8_QUEUE]);
}

template <class Shape>
__device__ __forceinline__ int8_memory<Shape> int8_memory_at(const int8_plan &plan, char *memory)
{
    uint4 *offset = reinterpret_cast<uint4 *>(memory + tables_bytes(plan));
    uint4(*history)[Shape::row_tiles][32] =
        reinterpret_cast<uint4(*)[Shape::row_tiles][32]>(offset + 1);
    char *in = reinterpret_cast<char *>(history + plan.down_blocks - 1);
    char *out = in + INT8_STAGES * 8 * plan.row_bytes;
    char *queue = out + INT8_WARPS * 8 * int8_memory<Shape>::out_row;

    return {tables_at(plan, memory),
            offset,
            history,
            in,
            out,
            reinterpret_cast<uint32_t(*)[INT8_QUEUE]>(queue),
            reinterpret_cast<uint16_t(*)[32 * INT8_MARKED_STEPS]>(
                queue + sizeof(uint32_t[INT8_WARPS][INT8_QUEUE]))};
}

/* A thread block's rows on their way to shared memory. A warp brings two of a step's eight rows,
 * 16 bytes a lane. */
struct int8_source {
    const char *next; /* of this lane, in the warp's first row of the next step */
    char *in;         /* of this lane, in the first stage */
    int64_t stride;
    int rows;  /* to come, from the warp's first one on */
    int units; /* of 16 bytes in a row, from this lane's on */
    int row_bytes;
    int turn; /* of the stages */
};

template <class Shape>
__device__ __forceinline__ int8_source source_of_block(const view &src, const int8_plan &plan,
                                                       char *in, int64_t sample, int64_t row,
                                                       int rows, int warp, int lane)
{
    const int reach = plan.halo_x * plan.channels;
    const int64_t right = src.width * src.channels - sample + reach;
    const int samples = reach + (int)min((int64_t)(Shape::row_samples + reach), right);
    const int bytes = plan.lead + samples * Shape::bytes;

    return {row_of<const char>(src, row - plan.halo_y + warp) + (sample - reach) * Shape::bytes -
                plan.lead + 16 * lane,
            in + warp * plan.row_bytes + 16 * lane,
            src.stride_bytes,
            rows + 2 * plan.halo_y - warp,
            (bytes + 15) / 16 - lane,
            plan.row_bytes,
            0};
}

/* Asks for the rows of the next step. */
__device__ __forceinline__ void ask_for_rows(int8_source &source)
{
    char *to = source.in + source.turn * 8 * source.row_bytes;

#pragma unroll
    for (int i = 0; i < 8; i += INT8_WARPS) {
        const char *from = source.next + i * source.stride;

        if (i < source.rows && source.units > 0) {
            __pipeline_memcpy_async(to + i * source.row_bytes, from, 16);
#pragma unroll 1
            for (int unit = 32; unit < source.units; unit += 32)
                __pipeline_memcpy_async(to + i * source.row_bytes + 16 * unit, from + 16 * unit,
                                        16);
        }
    }
    __pipeline_commit();
    source.next += 8 * source.stride;
    source.rows -= 8;
    source.turn = (source.turn + 1) % INT8_STAGES;
}

#endif
