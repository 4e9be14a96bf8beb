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

/* The data that a thread block needs for its loads if it reaches an end of the image. */
struct int8_ends : block_ends {
    int64_t bottom; /* the row below the last one that the thread block loads */
};

/* The shared memory of a thread block. */
struct int8_memory {
    int8_tables tables;
    uint4 *offset; /* plan.offset, in all four words */
    /* [block of 8 rows * tiles + tile][lane]: V (plan.cuh), the sums along the window's rows,
     * except its last 8 rows, whose sums are in registers. */
    uint4 (*history)[32];
    char *in;  /* [stage][row][byte]: 8 rows of plan.row_bytes bytes */
    char *out; /* [warp][row][byte]: 8 rows of Shape::out_row bytes */
    int8_ends *ends;
    unresolved_queue *queues; /* one for each warp */
};

/* Lays out the memory from `memory` on. tiles: how many tiles a thread block has in a row. bytes:
 * the size of a sample. */
__host__ __device__ static inline int8_memory int8_memory_at(const int8_plan &plan, int tiles,
                                                             int bytes, char *memory)
{
    constexpr int along_bytes = sizeof(uint32_t[32][4]), down_bytes = sizeof(uint32_t[32][2]);
    constexpr int tile_bytes = sizeof(uint4[32]);
    const int tables =
        along_bytes * plan.along_blocks * plan.along_sums + down_bytes * plan.down_blocks * SUMS;
    int8_memory at = {};

    at.tables.along = reinterpret_cast<uint32_t(*)[32][4]>(memory);
    at.tables.down =
        reinterpret_cast<uint32_t(*)[32][2]>(at.tables.along + plan.along_blocks * plan.along_sums);
    at.offset = reinterpret_cast<uint4 *>(memory + tables);
    at.history = reinterpret_cast<uint4(*)[32]>(at.offset + 1);
    at.in = reinterpret_cast<char *>(at.history) + tile_bytes * tiles * (plan.down_blocks - 1);
    at.out = at.in + INT8_STAGES * 8 * plan.row_bytes;
    at.ends = reinterpret_cast<int8_ends *>(at.out + 8 * 16 * (tiles * bytes + INT8_WARPS));
    at.queues = reinterpret_cast<unresolved_queue *>(at.ends + 1);
    return at;
}

static inline size_t int8_shared_bytes(const int8_plan &plan, int bytes)
{
    alignas(16) char start;
    const int8_memory at = int8_memory_at(plan, int8_row_samples(plan.planes) / 16, bytes, &start);

    return (size_t)(reinterpret_cast<char *>(at.queues + INT8_WARPS) - &start);
}

/* A lane's part in loading the thread block's rows into shared memory. Each warp loads two of a
 * step's eight rows, and each of its lanes copies every 32nd unit of 16 bytes. */
struct int8_rows {
    const char *next; /* this lane's bytes in the warp's first row of the next step */
    char *in;         /* this lane's address in the first stage */
    int64_t stride;
    int rows;  /* rows of the thread block, from the warp's first one on, that are not loaded yet */
    int units; /* units of 16 bytes from this lane's first one to the end of a row */
    int row_bytes;
    int turn;    /* index of the stage that is filled next */
    bool at_end; /* the thread block reaches an end of the image */
};

template <class Shape>
__device__ __forceinline__ int8_rows rows_of_block(const source &src, const int8_plan &plan,
                                                   const int8_memory &memory, const segment &own,
                                                   int64_t first_sample, int warp, int lane)
{
    const int reach = plan.halo_x * plan.channels, lead = plan.lead / Shape::bytes;
    const int64_t right = src.width * src.channels - first_sample + reach;
    const block_row row = block_row_of<16 / Shape::bytes>(
        src, first_sample - reach - lead, lead,
        lead + reach + (int)min((int64_t)(Shape::row_samples + reach), right));
    const int64_t y = own.top - plan.halo_y;
    const int rows = own.rows + 2 * plan.halo_y;
    /* Units before row.units may lie before the first existing sample. */
    const int skip = 16 * (row.units + lane);
    const char *first = row_of<const char>(src, y + warp) + row.first * Shape::bytes;

    if (warp == 0)
        set_ends<16 / Shape::bytes>(*memory.ends, src, row);
    if (warp == 0 && lane == 0)
        memory.ends->bottom = y + rows;
    return {first + skip,
            memory.in + warp * plan.row_bytes + skip,
            src.stride_bytes,
            rows - warp,
            row.end - row.units - lane,
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
                                             const int8_memory &memory)
{
    const auto ask = [&] {
        const int skip = 16 * (memory.ends->row.units + (int)threadIdx.x % 32);

        return ask_at_end<Shape>(images, *memory.ends, coming.row_bytes,
                                 coming.in - skip + coming.turn * 8 * coming.row_bytes, coming.rows,
                                 STEPS);
    };
    const bool done = coming.at_end && coming.rows > 0 && ask();

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
