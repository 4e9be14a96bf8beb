/* SPDX-License-Identifier: MIT */
/* The kernel fused_fp16, and the loop of its helping warps, which load the image, repair unresolved
 * samples and store the outputs.
 *
 * A round is 32 rows of outputs; a sample is unresolved if the error bound does not prove its
 * rounding. */
#ifndef SMOOTHIMG_FUSED_FP16_KERNEL_CUH
#define SMOOTHIMG_FUSED_FP16_KERNEL_CUH

#include "kernels/smooth/fused/fp16/repair.cuh"
#include "kernels/smooth/fused/fp16/transport/async.cuh"
#include "kernels/smooth/fused/fp16/transport/bulk.cuh"

/* The pixels at the end of each row that do not fill a unit of 16 bytes. Copies write whole units,
 * so the helping warps write these pixels. */
struct fp16_tail {
    uint8_t *first; /* the pixel of row 0 */
    int64_t stride_bytes, column;
    int count; /* 0..15 */
};

/* Writes these last pixels of a round's rows, if they are in this block's columns. Each lane writes
 * one row. */
template <class Shape>
__device__ __forceinline__ void store_tail(fp16_memory<Shape> &memory, const fp16_work &work,
                                           const fp16_tail &tail, int round, int buffer, int lane)
{
    const int64_t row = work.row + (int64_t)round * ROUND_ROWS + lane;
    const int64_t column = tail.column - work.column;

    if (column < 0 || column >= Shape::columns || row >= work.height)
        return;
    for (int i = 0; i < tail.count; i++)
        tail.first[row * tail.stride_bytes + i] =
            memory.out[buffer][place_of_output<Shape>((uint32_t)(column + i), (uint32_t)lane)];
}

/* The loop of a helping warp over all rounds. Returns true if a round had more unresolved samples
 * (whose rounding the half floats do not prove) than its queue or list has room for. */
template <class Shape>
__device__ __forceinline__ bool
help(fp16_memory<Shape> &memory, const typename Shape::transport &images, const source &src,
     uint32_t threshold_of_one, const tap_bytes &bytes, const fp16_exact &exact,
     const fp16_work &work, const fp16_tail &tail, int helper, int lane)
{
    constexpr int groups_of_round = ROUND_ROWS / GROUP_ROWS;
    const int groups = (work.steps + 1) / 2;
    const uint32_t threshold = threshold_of_one * 0x10001u;
    const bool copying = copies(images, helper, lane), loading = copying || work.at_end;
    bool dense = false;
    int slot = 0, buffer = 0;
    uint32_t parity = 0;

    if (loading)
        for (int group = 0; group < Shape::groups && group < groups; group++)
            load_group(memory, images, src, work, group, group, helper, lane);
    __syncwarp();
#pragma unroll 1
    for (int round = 0; round < work.rounds; round++) {
        barrier_wait(shared_address(&memory.done[buffer]), parity);
        const int found =
            dense ? 0 : list_unresolved(memory, memory.queue[buffer], threshold, helper, lane);

        if (found > MAX_REPAIRS)
            dense = true;
        else if (found > 0) {
            __syncwarp();
            repair(memory, src, work, bytes, exact, found, round, buffer, slot, helper, lane);
            if constexpr (Shape::bulk)
                fence_for_tma();
        }
        __syncwarp();
        if (Shape::helpers > 1)
            named_barrier<1, 32 * Shape::helpers>();
        if (helper == 0)
            store_tail(memory, work, tail, round, buffer, lane);
        if (copying)
            store_round(memory, images, work, round, buffer, helper, lane);
        if (loading)
#pragma unroll
            for (int i = 0; i < groups_of_round; i++) {
                const int group = round * groups_of_round + i + Shape::groups;

                if (group < groups)
                    load_group(memory, images, src, work, group,
                               slot + i >= Shape::groups ? slot + i - Shape::groups : slot + i,
                               helper, lane);
            }
        if (copying)
            await_reads<Shape>(images);
        __syncwarp();
        /* A buffer is free when its store has read it. With two buffers, wait for the store of this
         * round. With more, wait only for that of the round before, so that stores have more
         * time. */
        if (Shape::rounds == 2 || round > 0)
            barrier_arrive(shared_address(&memory.freed[Shape::rounds == 2 ? buffer
                                                        : buffer           ? buffer - 1
                                                                           : Shape::rounds - 1]));
        slot += groups_of_round;
        if (slot >= Shape::groups)
            slot -= Shape::groups;
        if (++buffer == Shape::rounds) {
            buffer = 0;
            parity ^= 1;
        }
    }
    if (copying)
        await_stores(images);
    return dense;
}

/* Counters in scratch memory that all thread blocks share. */
struct fp16_progress {
    /* How many thread blocks have ended, and how many of these were dense: had too many unresolved
     * samples to repair. */
    uint32_t finished, dense;
};

/* True if at least 128 blocks have ended, and more than half of them were dense. Then the remaining
 * blocks do nothing, and fused_int8 computes them. */
__device__ static inline bool hopeless(const volatile fp16_progress *progress)
{
    const uint32_t finished = progress->finished;

    return finished >= 128 && 2 * progress->dense > finished;
}

template <class Shape> __device__ __forceinline__ fp16_memory<Shape> &memory_of_block()
{
    if constexpr (Shape::bulk) { /* the alignment that swizzled boxes need */
        DYN_SHARED_AT(1024, fp16_memory<Shape>, shared);
        return *shared;
    } else {
        DYN_SHARED_AT(128, fp16_memory<Shape>, shared);
        return *shared;
    }
}

/* A thread block computes Shape::columns samples of segment_rows rows. dense: one byte for each
 * thread block; it is set if fused_int8 must compute the block again. */
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    fused_fp16(const __grid_constant__ typename Shape::transport images,
               const __grid_constant__ source src, const __grid_constant__ fp16_tables tables,
               const __grid_constant__ tap_bytes bytes, const __grid_constant__ fp16_exact exact,
               const fp16_tail tail, const int halo, const int segment_rows,
               fp16_progress *progress, uint8_t *dense)
{
#ifdef __CUDA_ARCH__ /* the code for a GPU contains only that GPU's transport */
    if constexpr (Shape::transport::is_compiled_for(__CUDA_ARCH__))
#endif
    {
        fp16_memory<Shape> &memory = memory_of_block<Shape>();
        const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
        const segment segment = segment_of_block(src.height, segment_rows);
        const int row = (int)segment.top, column = segment.column * Shape::columns;
        const int rows = segment.rows;
        const int rounds = (rows + ROUND_ROWS - 1) / ROUND_ROWS, reach = halo * src.channels;
        const block_row in_row = row_of_group<Shape>(src, column, reach);
        const bool at_side = in_row.gathered > 0;
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
        if (__syncthreads_or(threadIdx.x == 0 && hopeless(progress))) {
            if (threadIdx.x == 0)
                dense[blockIdx.y * gridDim.x + blockIdx.x] = 1;
            return;
        }
        if (warp == 0)
            set_ends<UNIT>(memory.ends, src, in_row);
        for (int i = (int)threadIdx.x; i <= Shape::most_halo; i += (int)blockDim.x)
            memory.taps[i] = tables.taps[i];
        /* Lanes read the tables at different indices, which is slow in kernel arguments. So the
         * buffer of outputs holds a copy, until the first outputs overwrite it. */
        static_assert(sizeof tables <= sizeof memory.out, "");
        for (int i = (int)threadIdx.x; i < (int)(sizeof tables / 4); i += (int)blockDim.x)
            reinterpret_cast<uint32_t *>(memory.out)[i] =
                reinterpret_cast<const uint32_t *>(&tables)[i];
        if (threadIdx.x == 0) {
            for (int i = 0; i < Shape::groups; i++)
                barrier_init(shared_address(&memory.full[i]),
                             arrivals_of_group<Shape>(images, work.at_end));
            for (int i = 0; i < Shape::rounds; i++) {
                barrier_init(shared_address(&memory.done[i]), 32 * COMPUTING);
                barrier_init(shared_address(&memory.freed[i]), 32 * Shape::helpers);
            }
            if constexpr (Shape::bulk)
                barriers_ready();
        }
        __syncthreads();
        if (warp < COMPUTING) {
            compute(memory, tables.unresolved, work, warp, lane);
        } else if (help(memory, images, src, tables.unresolved, bytes, exact, work, tail,
                        warp - COMPUTING, lane) &&
                   lane == 0) {
            dense[blockIdx.y * gridDim.x + blockIdx.x] = 1;
            atomicAdd(&progress->dense, 1u);
        }
        if (threadIdx.x == 32 * COMPUTING)
            atomicAdd(&progress->finished, 1u);
    }
}

#endif
