/* SPDX-License-Identifier: MIT */
/* The kernel fused_fp16, and the loop of its helping warps, which load the image, repair unresolved
 * samples and store the outputs.
 *
 * A round is 32 rows of outputs; a sample is unresolved if the error bound does not prove its
 * rounding. */
#ifndef SMOOTHIMG_FUSED_FP16_KERNEL_CUH
#define SMOOTHIMG_FUSED_FP16_KERNEL_CUH

#include "kernels/smooth/fused/fp16/repair.cuh"
#include "kernels/smooth/fused/fp16/transport/bulk.cuh"

/* Writes the last samples of the image's rows in a round, which is 32 rows, if they are in this
 * block and do not fill a unit of 16 bytes: the copies write only whole units. Each lane writes one
 * row. */
template <class Shape>
__device__ __forceinline__ void store_tail(fp16_memory<Shape> &memory, const fp16_work &work,
                                           const view &dst, int round, int buffer, int lane)
{
    const int count = (int)work.width % UNIT;
    const int row = work.row + round * ROUND_ROWS + lane;
    const int column = (int)work.width - count - work.column;

    if (column < 0 || column >= Shape::columns || row >= work.height)
        return;
    uint8_t *to = row_of<uint8_t>(dst, row) + work.column + column;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        to[i] = memory.out[buffer][place_of_output<Shape>((uint32_t)(column + i), (uint32_t)lane)];
}

/* The loop of a helping warp over all rounds, of 32 rows of outputs each. Returns true if a round
 * had more unresolved samples than its queue has room for. */
template <class Shape>
__device__ __forceinline__ bool
help(fp16_memory<Shape> &memory, const fp16_maps &maps, const source &src, const tap_bytes &bytes,
     const fp16_exact &exact, const fp16_work &work, const view &dst, int helper, int lane)
{
    constexpr int groups_of_round = ROUND_ROWS / GROUP_ROWS;
    const int groups = (work.steps + 1) / 2;
    /* One lane asks the TMA for copies. */
    const bool copying = !Shape::bulk || (helper == 0 && lane == 0);
    const bool loading = copying || work.at_end;
    bool dense = false;
    ring_slot<Shape::rounds> ring = {0, 0};
    int slot = 0;

    if (loading)
        for (int group = 0; group < Shape::groups && group < groups; group++)
            load_group(memory, maps, src, work, group, group, helper, lane);
    __syncwarp();
#pragma unroll 1
    for (int round = 0; round < work.rounds; round++) {
        const int buffer = ring.index;

        barrier_wait(shared_address(&memory.done[buffer]), ring.parity);
        fp16_queue &queue = memory.queue[buffer][helper];

        dense = dense || queue.count > MAX_REPAIRS;
        if (!dense && queue.count > 0) {
            repair(memory, src, work, bytes, exact, queue, round, buffer, slot, helper, lane);
            if constexpr (Shape::bulk)
                fence_for_tma();
        }
        __syncwarp();
        if (lane == 0) /* with a count above MAX_REPAIRS, the computing warps queue nothing more */
            queue.count = dense ? MAX_REPAIRS + 1 : 0;
        if (Shape::helpers > 1)
            named_barrier<1, 32 * Shape::helpers>();
        if (helper == 0)
            store_tail(memory, work, dst, round, buffer, lane);
        if constexpr (!Shape::bulk)
            store_by_lanes(memory, dst, work, round, buffer, helper, lane);
        else if (copying)
            store_by_tma(memory, maps, work, round, buffer);
        if (loading)
#pragma unroll
            for (int i = 0; i < groups_of_round; i++) {
                const int group = round * groups_of_round + i + Shape::groups;

                if (group < groups)
                    load_group(memory, maps, src, work, group,
                               slot + i >= Shape::groups ? slot + i - Shape::groups : slot + i,
                               helper, lane);
            }
        if constexpr (Shape::bulk)
            if (copying)
                tile_stores_read<Shape::rounds == 2 ? 0 : 1>();
        __syncwarp();
        /* Frees the buffer whose store has read it by now, so that it may be filled again. With two
         * buffers, that is this round's buffer. With more buffers, it is the buffer of the round
         * before, so that stores have more time. */
        if (Shape::rounds == 2 || round > 0)
            barrier_arrive(shared_address(&memory.freed[Shape::rounds == 2 ? buffer
                                                        : buffer           ? buffer - 1
                                                                           : Shape::rounds - 1]));
        slot += groups_of_round;
        if (slot >= Shape::groups)
            slot -= Shape::groups;
        ring.advance();
    }
    if constexpr (Shape::bulk)
        if (copying)
            tile_stores_done();
    return dense;
}

/* A thread block computes Shape::columns samples of the rows that segment_of_block() gives it.
 * dense: one byte for each thread block. For a block that has rows, the byte is set to 1 if
 * fused_int8 must compute the block again, otherwise to 0. */
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    fused_fp16(const __grid_constant__ fp16_maps maps, const __grid_constant__ source src,
               const __grid_constant__ fp16_tables tables, const __grid_constant__ tap_bytes bytes,
               const __grid_constant__ fp16_exact exact, const __grid_constant__ view dst,
               const int halo, const int segment_rows, uint8_t *dense)
{
#ifdef __CUDA_ARCH__ /* the code for a GPU contains only that GPU's way to copy */
    if constexpr (fp16_is_compiled_for(__CUDA_ARCH__, Shape::bulk))
#endif
    {
        DYN_SHARED_AT(FP16_ALIGNMENT, fp16_memory<Shape>, shared);
        fp16_memory<Shape> &memory = *shared;
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
        const segment own = segment_of_block(src.height, segment_rows);
        const int row = (int)own.top, column = own.column * Shape::columns;
        const int rows = own.rows;
        const int rounds = (rows + ROUND_ROWS - 1) / ROUND_ROWS, reach = halo * src.channels;
        const int64_t outputs = min(src.width * src.channels - column, (int64_t)Shape::columns);
        const block_row in_row =
            block_row_of<UNIT>(src, column - Shape::before, Shape::before - reach,
                               Shape::before + (int)outputs + reach);
        const bool at_side = in_row.gathered > 0;
        uint8_t &dense_here = dense[blockIdx.y * gridDim.x + blockIdx.x];
        const fp16_work work = {column,
                                row,
                                rounds * ROUND_STEPS + Shape::blocks - 1,
                                rounds,
                                src.width * src.channels,
                                src.height,
                                src.channels,
                                halo,
                                reach,
                                at_side,
                                at_side ||
                                    !source_has_rows(src, row - halo, row + rows - 1 + halo)};

        await_kernel_before();
        if (rows <= 0)
            return;
        if (warp == 0)
            set_ends<UNIT>(memory.ends, src, in_row);
        for (int i = (int)threadIdx.x; i <= Shape::most_halo; i += (int)blockDim.x)
            memory.taps[i] = tables.taps[i];
        /* Lanes read the tables at different indices, which is slow in kernel arguments (constant
         * memory). So the buffer of outputs holds a copy, until the first outputs overwrite it. */
        static_assert(sizeof tables <= sizeof memory.out, "");
        for (int i = (int)threadIdx.x; i < (int)(sizeof tables / 4); i += (int)blockDim.x)
            reinterpret_cast<uint32_t *>(memory.out)[i] =
                reinterpret_cast<const uint32_t *>(&tables)[i];
        if (threadIdx.x == 0) {
            dense_here = 0;
            for (int i = 0; i < Shape::groups; i++)
                barrier_init(shared_address(&memory.full[i]),
                             Shape::bulk && !work.at_end ? 1 : 64 * Shape::helpers);
            for (int i = 0; i < Shape::rounds; i++) {
                barrier_init(shared_address(&memory.done[i]), 32 * COMPUTING);
                barrier_init(shared_address(&memory.freed[i]), 32 * Shape::helpers);
                for (fp16_queue &queue : memory.queue[i])
                    queue.count = 0;
            }
            if constexpr (Shape::bulk)
                barriers_ready();
        }
        __syncthreads();
        if (warp < COMPUTING) {
            compute(memory, tables.unresolved, work, warp, lane);
        } else if (help(memory, maps, src, bytes, exact, work, dst, warp - COMPUTING, lane) &&
                   lane == 0) {
            dense_here = 1;
        }
    }
}

#endif
