/* SPDX-License-Identifier: MIT */
/* The shared memory of fused_digits, and how the image comes there. */
#ifndef SMOOTHIMG_FUSED_DIGITS_MEMORY_CUH
#define SMOOTHIMG_FUSED_DIGITS_MEMORY_CUH

#include "fused_digits_plan.cuh"

#include <cuda_pipeline_primitives.h>

#define DIGITS_TILES_STRIP (DIGITS_TILES * DIGITS_WARPS)
#define DIGITS_QUEUE 64 /* doubts of a warp, before they go to the list */

/* A block's shared memory. */
template <int BYTES> struct digits_memory {
    static constexpr int out_row = 64 * BYTES + 16; /* free of bank conflicts */

    digits_tables tables;
    uint4 *offset;                            /* plan.offset, four times */
    uint4 (*history)[DIGITS_TILES_STRIP][32]; /* [8 rows][tile][lane]: V, but for the last rows */
    char *in;                                 /* [stage][8 rows][row_bytes] */
    char *out;                                /* [warp][8 rows][out_row] */
    uint32_t (*queue)[DIGITS_QUEUE];          /* [warp][doubt]: see digits_doubts */
};

template <int BYTES>
__host__ __device__ static inline size_t digits_shared_bytes(const digits_plan &plan)
{
    return tables_bytes(plan) + sizeof(uint4) +
           (size_t)(plan.down_blocks - 1) * sizeof(uint4[DIGITS_TILES_STRIP][32]) +
           (size_t)(DIGITS_STAGES * 8 * plan.row_bytes) +
           DIGITS_WARPS * 8 * digits_memory<BYTES>::out_row +
           sizeof(uint32_t[DIGITS_WARPS][DIGITS_QUEUE]);
}

template <int BYTES>
__device__ __forceinline__ digits_memory<BYTES> digits_memory_at(const digits_plan &plan,
                                                                 char *memory)
{
    uint4 *offset = reinterpret_cast<uint4 *>(memory + tables_bytes(plan));
    uint4(*history)[DIGITS_TILES_STRIP][32] =
        reinterpret_cast<uint4(*)[DIGITS_TILES_STRIP][32]>(offset + 1);
    char *in = reinterpret_cast<char *>(history + plan.down_blocks - 1);

    char *out = in + DIGITS_STAGES * 8 * plan.row_bytes;

    return {tables_at(plan, memory),
            offset,
            history,
            in,
            out,
            reinterpret_cast<uint32_t(*)[DIGITS_QUEUE]>(out + DIGITS_WARPS * 8 *
                                                                  digits_memory<BYTES>::out_row)};
}

/* A strip's rows on their way. A warp brings two of a step's, 16 bytes a lane. */
struct digits_source {
    const char *next; /* of this lane, in the warp's first row of the next step */
    char *in;         /* of this lane, in the first stage */
    int64_t stride;
    int rows;  /* to come, from the warp's first one on */
    int units; /* of 16 bytes in a row, from this lane's on */
    int row_bytes;
    int turn; /* of the stages */
};

template <int BYTES>
__device__ __forceinline__ digits_source source_of_strip(const view &src, const digits_plan &plan,
                                                         char *in, int64_t sample, int64_t row,
                                                         int rows, int warp, int lane)
{
    const int reach = plan.halo * plan.channels;
    const int64_t right = src.width * src.channels - sample + reach;
    const int bytes =
        plan.lead + (reach + (int)min((int64_t)(DIGITS_STRIP + reach), right)) * BYTES;

    return {row_of<const char>(src, row - plan.halo + warp) + (sample - reach) * BYTES - plan.lead +
                16 * lane,
            in + warp * plan.row_bytes + 16 * lane,
            src.stride_bytes,
            rows + 2 * plan.halo - warp,
            (bytes + 15) / 16 - lane,
            plan.row_bytes,
            0};
}

/* Asks for the rows of the next step. */
__device__ __forceinline__ void ask_for_rows(digits_source &source)
{
    char *to = source.in + source.turn * 8 * source.row_bytes;

#pragma unroll
    for (int i = 0; i < 8; i += DIGITS_WARPS) {
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
    source.turn = (source.turn + 1) % DIGITS_STAGES;
}

#endif
