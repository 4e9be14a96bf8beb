/* SPDX-License-Identifier: MIT */
/* The shared memory of fused_int8, and the copies of the image into it.
 *
 * A step is eight rows of the image; a stage is the buffer of one step. A tile is 16 samples of
 * a row, or, with planes (one for each channel), 16 pixels of a channel. */
#ifndef SMOOTHIMG_FUSED_INT8_MEMORY_CUH
#define SMOOTHIMG_FUSED_INT8_MEMORY_CUH

#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/fused/int8/operands.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/segments.cuh"

/* The data that a block needs for its loads if it reaches an end of the image. */
struct int8_ends : block_ends {
    int64_t bottom; /* the row below the last one that the block loads */
};

/* The shared memory of a block. */
template <class Shape> struct int8_memory {
    /* Bytes of a row of `out`; the last 16 are a gap, for fewer bank conflicts. */
    static constexpr int out_row = Shape::warp_samples * Shape::bytes + 16;

    int8_tables tables;
    uint4 *offset; /* plan.offset, in all four words */
    /* [block of 8 rows][tile][lane]: V (plan.cuh), the sums along the window's rows, except its
     * last 8 rows, whose sums are in registers. */
    uint4 (*history)[Shape::row_tiles][32];
    char *in;  /* [stage][row][byte]: 8 rows of plan.row_bytes bytes */
    char *out; /* [warp][row][byte]: 8 rows of out_row bytes */
    int8_ends *ends;
    unresolved_queue *queues; /* one for each warp */
};

/* Returns the size of an int8_memory in bytes. bytes: the size of a sample. */
static inline size_t int8_shared_bytes(const int8_plan &plan, int bytes)
{
    const int samples = int8_row_samples(plan.planes), history = (plan.down_blocks - 1) * samples;

    return tables_bytes(plan) + sizeof(uint4) + (size_t)history / 16 * sizeof(uint4[32]) +
           (size_t)(INT8_STAGES * 8 * plan.row_bytes) +
           (size_t)(8 * (samples * bytes + 16 * INT8_WARPS)) + sizeof(int8_ends) +
           sizeof(unresolved_queue[INT8_WARPS]);
}

template <class Shape>
__device__ __forceinline__ int8_memory<Shape> int8_memory_at(const int8_plan &plan, char *memory)
{
    uint4 *offset = reinterpret_cast<uint4 *>(memory + tables_bytes(plan));
    uint4(*history)[Shape::row_tiles][32] =
        reinterpret_cast<uint4(*)[Shape::row_tiles][32]>(offset + 1);
    char *in = reinterpret_cast<char *>(history + plan.down_blocks - 1);
    char *out = in + INT8_STAGES * 8 * plan.row_bytes;
    int8_ends *ends =
        reinterpret_cast<int8_ends *>(out + INT8_WARPS * 8 * int8_memory<Shape>::out_row);

    return {tables_at(plan, memory),
            offset,
            history,
            in,
            out,
            ends,
            reinterpret_cast<unresolved_queue *>(ends + 1)};
}

/* A lane's part in loading the thread block's rows into shared memory. Each warp loads two of a
 * step's eight rows, and each of its lanes copies every 32nd unit of 16 bytes. */
struct int8_rows {
    const char *next; /* this lane's bytes in the warp's first row of the next step */
    char *in;         /* this lane's address in the first stage */
    int64_t stride;
    int rows;  /* rows of the block, from the warp's first one on, that are not loaded yet */
    int units; /* units of 16 bytes from this lane's first one to the end of a row */
    int row_bytes;
    int turn;    /* index of the stage that is filled next */
    bool at_end; /* the block reaches an end of the image */
};

/* The part of the image that a thread block computes. */
struct int8_block {
    int64_t first, top; /* indices of its first sample in a row, and of its first row */
    int rows;
};

template <class Shape>
__device__ __forceinline__ int8_block int8_block_at(const source &src, int segment_rows)
{
    const segment own = segment_of_block(src.height, segment_rows);

    return {(int64_t)own.column * Shape::row_samples, own.top, own.rows};
}

template <class Shape>
__device__ __forceinline__ block_row int8_row_of(const source &src, const int8_plan &plan,
                                                 int64_t first)
{
    const int reach = plan.halo_x * plan.channels, lead = plan.lead / Shape::bytes;
    const int64_t right = src.width * src.channels - first + reach;

    return block_row_of<16 / Shape::bytes>(
        src, first - reach - lead, lead,
        lead + reach + (int)min((int64_t)(Shape::row_samples + reach), right));
}

template <class Shape>
__device__ __forceinline__ int8_rows rows_of_block(const source &src, const int8_plan &plan,
                                                   const int8_memory<Shape> &memory,
                                                   const int8_block &block, int warp, int lane)
{
    const block_row row = int8_row_of<Shape>(src, plan, block.first);
    const int64_t y = block.top - plan.halo_y;
    const int rows = block.rows + 2 * plan.halo_y;
    const char *first = row_of<const char>(src, y + warp) + row.first * Shape::bytes;

    if (warp == 0)
        set_ends<16 / Shape::bytes>(*memory.ends, src, row);
    if (warp == 0 && lane == 0)
        memory.ends->bottom = y + rows;
    return {first + 16 * lane,
            memory.in + warp * plan.row_bytes + 16 * lane,
            src.stride_bytes,
            rows - warp,
            row.end - lane,
            plan.row_bytes,
            0,
            row.gathered > 0 || !source_has_rows(src, y, y + rows - 1)};
}

/* If the edge rule applies to the warp's rows of the next `steps` steps, of eight rows each, loads
 * them all at once and returns true. Otherwise loads nothing and returns false. The stages of these
 * steps lie one after another in memory. to: the address of the warp's first row in the first of
 * these stages. left: how many rows are not loaded yet, as in int8_rows.rows. Not inlined, since it
 * is rarely called, and the calling loop should not need its registers too. */
template <class Shape>
__device__ __noinline__ bool ask_at_end(const stack &images, const int8_ends &ends, int row_bytes,
                                        char *to, int left, int steps)
{
    const source src = image_of_block(images.src, images.src_apart);
    const int rows = min((left + INT8_WARPS - 1) / INT8_WARPS, steps * (8 / INT8_WARPS));
    const int64_t y = ends.bottom - left;

    if (ends.row.gathered == 0 && source_has_rows(src, y, y + (rows - 1) * INT8_WARPS))
        return false;
    load_rows_at_end<typename Shape::sample>(src, ends, y, INT8_WARPS, rows, [&](int i) {
        return reinterpret_cast<uint4 *>(to + i * INT8_WARPS * row_bytes);
    });
    return true;
}

/* Starts the loads of the rows of the next STEPS steps, of eight rows each. */
template <class Shape, int STEPS>
__device__ __forceinline__ void ask_for_rows(int8_rows &coming, const stack &images,
                                             const int8_memory<Shape> &memory)
{
    char *const stage = coming.in - 16 * ((int)threadIdx.x % 32);
    const bool done =
        coming.at_end && coming.rows > 0 &&
        ask_at_end<Shape>(images, *memory.ends, coming.row_bytes,
                          stage + coming.turn * 8 * coming.row_bytes, coming.rows, STEPS);

#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
        char *to = coming.in + coming.turn * 8 * coming.row_bytes;

#pragma unroll
        for (int i = 0; i < 8; i += INT8_WARPS) {
            const char *from = coming.next + i * coming.stride;

            if (i < coming.rows && coming.units > 0 && !done) {
                __pipeline_memcpy_async(to + i * coming.row_bytes, from, 16);
#pragma unroll 1
                for (int unit = 32; unit < coming.units; unit += 32)
                    __pipeline_memcpy_async(to + i * coming.row_bytes + 16 * unit, from + 16 * unit,
                                            16);
            }
        }
        __pipeline_commit();
        coming.next += 8 * coming.stride;
        coming.rows -= 8;
        coming.turn = (coming.turn + 1) % INT8_STAGES;
    }
}

#endif
