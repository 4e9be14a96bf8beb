/* SPDX-License-Identifier: MIT */
/* The shared memory of fused_int8, and the copies of the image into it.
 *
 * A step is eight rows of the image; a stage is the buffer of one step. A tile is 16 samples of
 * a row, or, with planes (one for each channel), 16 pixels of a channel. */
#ifndef SMOOTHIMG_FUSED_INT8_MEMORY_CUH
#define SMOOTHIMG_FUSED_INT8_MEMORY_CUH

#include "kernels/smooth/fused/block_row.cuh"
#include "kernels/smooth/fused/copies.cuh"
#include "kernels/smooth/fused/int8/mma.cuh"
#include "kernels/smooth/fused/int8/operands.cuh"
#include "kernels/smooth/fused/repair.cuh"
#include "kernels/smooth/segments.cuh"

/* Bytes of all lanes' words: of an operand along the rows, and down the columns; of a tile's V. */
#define ALONG_BYTES ((int)sizeof(uint32_t[32][4]))
#define DOWN_BYTES ((int)sizeof(uint32_t[32][2]))
#define TILE_BYTES ((int)sizeof(uint4[32]))

/* The shared memory of a thread block. */
struct int8_memory {
    int8_tables tables;
    /* plan.offset in all four words, for each lane. If all lanes read one address, nvcc would hold
     * the words in uniform registers, and copy them to others before each product. */
    uint4 *offset;
    /* [block of 8 rows * tiles + tile][lane]: V (plan.cuh), the sums along the window's rows,
     * except its last 8 rows, whose sums are in registers. */
    uint4 (*history)[32];
    char *in;         /* [stage][row][byte]: 8 rows of plan.row_bytes bytes */
    char *out;        /* [warp][row][byte]: 8 rows of Shape::out_row bytes */
    block_ends *ends; /* of the thread block's rows, for the warp that loads */
    /* Barriers for each stage: full: its rows have arrived; freed: they have been read. */
    uint64_t *full, *freed;
    unresolved_queue *queues; /* one for each warp */
};

/* Lays out the memory from `memory` on. tiles: how many tiles a thread block has in a row. bytes:
 * the size of a sample. */
__host__ __device__ static inline int8_memory int8_memory_at(const int8_plan &plan, int tiles,
                                                             int bytes, char *memory)
{
    const int tables =
        ALONG_BYTES * plan.along_blocks * plan.along_sums + DOWN_BYTES * plan.down_blocks * SUMS;
    int8_memory at = {};

    at.tables.along = reinterpret_cast<uint32_t(*)[32][4]>(memory);
    at.tables.down =
        reinterpret_cast<uint32_t(*)[32][2]>(at.tables.along + plan.along_blocks * plan.along_sums);
    at.offset = reinterpret_cast<uint4 *>(memory + tables);
    at.history = reinterpret_cast<uint4(*)[32]>(at.offset + 32);
    at.in = reinterpret_cast<char *>(at.history) + TILE_BYTES * tiles * (plan.down_blocks - 1);
    at.out = at.in + INT8_STAGES * 8 * plan.row_bytes;
    at.ends = reinterpret_cast<block_ends *>(at.out + 8 * 16 * (tiles * bytes + INT8_WARPS));
    at.full = reinterpret_cast<uint64_t *>(at.ends + 1);
    at.freed = at.full + INT8_STAGES;
    at.queues = reinterpret_cast<unresolved_queue *>(at.freed + INT8_STAGES);
    return at;
}

static inline size_t int8_shared_bytes(const int8_plan &plan, int bytes)
{
    alignas(16) char start;
    const int8_memory at = int8_memory_at(plan, int8_row_samples(plan.planes) / 16, bytes, &start);

    return (size_t)(reinterpret_cast<char *>(at.queues + INT8_WARPS) - &start);
}

/* Where a lane reads and writes in shared memory, in 32 bits. in: its first word of the warp's
 * samples, in the first stage; along, down: its words of the first operands; history: its V of the
 * warp's first tile in the history's first block; out: its first outputs. */
struct int8_places {
    uint32_t in, along, down, history, out;
};

template <class Shape>
__device__ __forceinline__ int8_places places_of_lane(const int8_memory &memory,
                                                      const int8_plan &plan, unsigned warp,
                                                      unsigned lane)
{
    const uint32_t row_bytes = (uint32_t)plan.row_bytes;

    return {kept(shared_address(memory.in) + lane / 4 * row_bytes + lane % 4 * 4 * Shape::planes +
                 (uint32_t)plan.start + warp * (Shape::warp_samples * Shape::bytes)),
            kept(shared_address(memory.tables.along) + lane * 16),
            kept(shared_address(memory.tables.down) + lane * 8),
            kept(shared_address(memory.history) + warp * (Shape::tiles * TILE_BYTES) + lane * 16),
            kept(shared_address(memory.out) + warp * (8 * Shape::out_row) +
                 lane % 4 * (2 * Shape::out_row) + lane / 4 * (2 * Shape::planes * Shape::bytes))};
}

/* Loads the thread block's rows into shared memory, up to INT8_STAGES steps ahead of the computing
 * warps. The warp that loads calls this function. steps: how many steps the computing warps make.
 * Each of its lanes arrives twice at the barrier of a stage: once its copies (cp.async) are done,
 * and after its own stores. */
template <class Shape>
__device__ __forceinline__ void load_rows(const source &src, const int8_plan &plan,
                                          const int8_memory &memory, const segment &own,
                                          int64_t first_sample, int steps, int lane)
{
    constexpr int in_unit = 16 / Shape::bytes;
    const int reach = plan.halo_x * plan.channels, lead = plan.lead / Shape::bytes;
    const int64_t right = src.width * src.channels - first_sample + reach;
    const block_row row = block_row_of<in_unit>(
        src, first_sample - reach - lead, lead,
        lead + reach + (int)min((int64_t)(Shape::row_samples + reach), right));
    const int64_t top = own.top - plan.halo_y;
    const int rows = own.rows + 2 * plan.halo_y;
    const auto copy = [](uint4 *to, const void *from) { unit_load(shared_address(to), from); };

    static_assert(8 * INT8_STAGES <= 32, "load_rows_at_end() takes at most 32 rows");
    set_ends<in_unit>(*memory.ends, src, row);
    /* The first rows are loaded at once, since each load where the image ends takes as long as
     * several steps. */
    ring_slot<INT8_STAGES> stage = {0, 1};
    for (int step = 0, count; step < steps; step += count) {
        const int64_t y = top + 8 * step;
        char *const to = memory.in + stage.index * 8 * plan.row_bytes;

        count = step == 0 ? min(INT8_STAGES, steps) : 1;
        const int left = min(rows - 8 * step, 8 * count);

        barrier_wait(shared_address(&memory.freed[stage.index]), stage.parity);
        if (row.gathered > 0 || !source_has_rows(src, y, y + left - 1))
            load_rows_at_end<typename Shape::sample>(
                src, *memory.ends, y, left,
                [&](int i) { return reinterpret_cast<uint4 *>(to + i * plan.row_bytes); }, copy);
        else
            for (int unit = row.units + lane; unit < row.end; unit += 32) {
                const char *const from =
                    row_of<const char>(src, y) + row.first * Shape::bytes + 16 * unit;

#pragma unroll 8
                for (int i = 0; i < left; i++)
                    copy(reinterpret_cast<uint4 *>(to + i * plan.row_bytes) + unit,
                         from + i * src.stride_bytes);
            }
        for (int i = 0; i < count; i++) {
            unit_loads_arrive(shared_address(&memory.full[stage.index]));
            barrier_arrive(shared_address(&memory.full[stage.index]));
            stage.advance();
        }
    }
}

#endif
