/* SPDX-License-Identifier: MIT */
/* The kernel of fused_tensor.cuh, and the life of its helping warps: they bring the image, repair
 * the samples in doubt, and take the outputs away. */
#ifndef SMOOTHIMG_FUSED_TENSOR_KERNEL_CUH
#define SMOOTHIMG_FUSED_TENSOR_KERNEL_CUH

#include "fused_tensor_repair.cuh"

/* The TMA writes whole units of 16 bytes: the pixels of the last one, where it is not whole, are
 * the helpers' to write. */
struct tensor_tail {
    uint8_t *first; /* pixel of row 0 */
    int64_t stride_bytes, column;
    int count; /* 0..15 */
};

struct tensor_maps {
    CUtensorMap in, side, out;
};

/* Asks for group `group` of the strip's rows, into the slot. */
template <class Shape>
__device__ __forceinline__ void load_group(tensor_memory<Shape> &memory, const tensor_maps &maps,
                                           const tensor_work &work, int group, int slot)
{
    const uint32_t full = shared_address(&memory.full[slot]);
    const int y = work.row + group * GROUP_ROWS;

    barrier_expect(full, GROUP_BYTES + Shape::side_bytes);
#pragma unroll
    for (int box = 0; box < TENSOR_STRIP / ROW_BYTES; box++)
        tile_load(shared_address(memory.in[slot]) + (uint32_t)(box * GROUP_ROWS * ROW_BYTES),
                  &maps.in, work.column + box * ROW_BYTES, y, full);
    tile_load(shared_address(memory.side[slot]), &maps.side, work.column + TENSOR_STRIP, y, full);
}

/* Writes the tail of a round's rows, a lane to each row, if it is in this strip. */
template <class Shape>
__device__ __forceinline__ void store_tail(tensor_memory<Shape> &memory, const tensor_work &work,
                                           const tensor_tail &tail, int round, int buffer, int lane)
{
    const int64_t row = work.row + (int64_t)round * ROUND_ROWS + lane;
    const int64_t column = tail.column - work.column;

    if (column < 0 || column >= TENSOR_STRIP || row >= work.height)
        return;
    for (int i = 0; i < tail.count; i++)
        tail.first[row * tail.stride_bytes + i] =
            (uint8_t)load_8(shared_address(memory.out[buffer]) +
                            swizzled((uint32_t)column + (uint32_t)i, (uint32_t)lane, ROUND_ROWS));
}

/* A helping warp's life. Returns whether a round had too many doubts. */
template <class Shape>
__device__ __forceinline__ bool help(tensor_memory<Shape> &memory, const tensor_maps &maps,
                                     uint32_t single_doubt, const tap_bytes &bytes, int halo,
                                     const tensor_work &work, const tensor_tail &tail, int helper,
                                     int lane, doubts *doubts, int64_t capacity)
{
    constexpr int groups_of_round = ROUND_ROWS / GROUP_ROWS;
    const int groups = (work.steps + 1) / 2;
    const uint32_t doubt = single_doubt * 0x10001u;
    const bool leader = lane == 0 && helper == 0;
    bool dense = false;
    int slot = 0, buffer = 0;
    uint32_t parity = 0;

    if (leader)
        for (int group = 0; group < Shape::groups && group < groups; group++)
            load_group(memory, maps, work, group, group);
    __syncwarp();
#pragma unroll 1
    for (int round = 0; round < work.rounds; round++) {
        barrier_wait(shared_address(&memory.done[buffer]), parity);
        const int found =
            dense ? 0 : list_doubts(memory, memory.queue[buffer], doubt, helper, lane);

        if (found > IN_DOUBT)
            dense = true;
        else if (found > 0) {
            __syncwarp();
            repair(memory, work, bytes, halo, found, round, buffer, slot, helper, lane, doubts,
                   capacity);
            fence_for_tma();
        }
        __syncwarp();
        if (Shape::helpers > 1)
            asm volatile("bar.sync 1,%0;" ::"n"(32 * Shape::helpers) : "memory");
        if (helper == 0)
            store_tail(memory, work, tail, round, buffer, lane);
        if (leader) {
#pragma unroll
            for (int box = 0; box < TENSOR_STRIP / ROW_BYTES; box++)
                tile_store(&maps.out, work.column + box * ROW_BYTES, work.row + round * ROUND_ROWS,
                           shared_address(memory.out[buffer]) +
                               (uint32_t)(box * ROUND_ROWS * ROW_BYTES));
            tile_stores_commit();
#pragma unroll
            for (int i = 0; i < groups_of_round; i++) {
                const int group = round * groups_of_round + i + Shape::groups;

                if (group < groups)
                    load_group(memory, maps, work, group,
                               slot + i >= Shape::groups ? slot + i - Shape::groups : slot + i);
            }
            tile_stores_read<Shape::rounds == 2 ? 0 : 1>();
        }
        __syncwarp();
        /* A buffer is free when its store has read it; with more than two, the one a round back. */
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
    if (leader)
        tile_stores_done();
    return dense;
}

/* What strips tell one another, in scratch. */
struct tensor_progress {
    uint32_t finished, dense; /* strips; dense: with too many doubts */
};

/* Where half of the strips so far were dense, the rest need not be tried. */
__device__ static inline bool hopeless(const volatile tensor_progress *progress)
{
    const uint32_t finished = progress->finished;

    return finished >= 128 && 2 * progress->dense > finished;
}

/* One block for each strip of segment_rows rows. dense: a byte for each block, set where the strip
 * is to be done again. */
template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    fused_tensor(const __grid_constant__ tensor_maps maps,
                 const __grid_constant__ tensor_tables tables,
                 const __grid_constant__ tap_bytes bytes, const tensor_tail tail, const int halo,
                 const int64_t width, const int64_t height, const int segment_rows,
                 tensor_progress *progress, uint8_t *dense, doubts *doubts, const int64_t capacity)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t raw[];
    tensor_memory<Shape> &memory = *reinterpret_cast<tensor_memory<Shape> *>(raw);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int row = (int)blockIdx.y * segment_rows;
    const int rounds = (min(segment_rows, (int)height - row) + ROUND_ROWS - 1) / ROUND_ROWS;
    const tensor_work work = {(int)blockIdx.x * TENSOR_STRIP,
                              row,
                              rounds * ROUND_STEPS + Shape::blocks - 1,
                              rounds,
                              width,
                              height};

    if (__syncthreads_or(threadIdx.x == 0 && hopeless(progress))) {
        if (threadIdx.x == 0)
            dense[blockIdx.y * gridDim.x + blockIdx.x] = 1;
        return;
    }
    for (int i = (int)threadIdx.x; i <= Shape::most_halo; i += (int)blockDim.x)
        memory.taps[i] = tables.taps[i];
    /* Lanes read the tables at different places, which arguments are slow at: the outputs' buffer
     * holds a copy until the first outputs come. */
    static_assert(sizeof tables <= sizeof memory.out, "");
    for (int i = (int)threadIdx.x; i < (int)(sizeof tables / 4); i += (int)blockDim.x)
        reinterpret_cast<uint32_t *>(memory.out)[i] =
            reinterpret_cast<const uint32_t *>(&tables)[i];
    if (threadIdx.x == 0) {
        for (int i = 0; i < Shape::groups; i++)
            barrier_init(shared_address(&memory.full[i]), 1);
        for (int i = 0; i < Shape::rounds; i++) {
            barrier_init(shared_address(&memory.done[i]), 32 * COMPUTING);
            barrier_init(shared_address(&memory.freed[i]), 32 * Shape::helpers);
        }
        barriers_ready();
    }
    __syncthreads();
    if (warp < COMPUTING) {
        compute(memory, tables.doubt, work, warp, lane);
    } else if (help(memory, maps, tables.doubt, bytes, halo, work, tail, warp - COMPUTING, lane,
                    doubts, capacity) &&
               lane == 0) {
        dense[blockIdx.y * gridDim.x + blockIdx.x] = 1;
        atomicAdd(&progress->dense, 1u);
    }
    if (threadIdx.x == 32 * COMPUTING)
        atomicAdd(&progress->finished, 1u);
#endif
}

#endif
