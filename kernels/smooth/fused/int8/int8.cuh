/* SPDX-License-Identifier: MIT */
/* The kernel fused_int8 smooths in whole numbers on tensor cores, for 8 and 16 bits, halos up to 64
 * and up to 64 channels. int8/plan.cuh has the arithmetic. Its error has one bound for all images.
 * A sample whose rounding is not proven is unresolved, and is computed again. For a Gaussian whose
 * halos are both 3 sigma, and an image of noise, at most one sample in 20,000 is unresolved for 8
 * bits, and one in 3,000 for 16 bits.
 *
 * A thread block computes 256 neighbouring samples of each row, and moves downwards in steps of
 * eight rows. Each of four computing warps has 64 samples, in four tiles of 16. With three planes
 * (one for each channel, int8/planes.cuh) a warp has 48 samples, in three tiles, and the block 192.
 * A fifth warp loads rows into shared memory, some steps ahead. Two barriers in shared memory for
 * each stage, `full` and `freed`, are all that these warps wait for; a stage is the buffer of one
 * step. The rows' bytes are the operands of the products along the rows. The sums along the rows,
 * V, have 32 bits; the products down the columns take operands of 8 bits. So V is split into four
 * digits in base 2^8. The digits are the bytes of V, and the products along the rows leave them in
 * the registers from which the products down the columns read: no instruction extracts a digit.
 * Each warp also stores its V in shared memory, for later steps whose windows contain these rows.
 */
#ifndef SMOOTHIMG_FUSED_INT8_CUH
#define SMOOTHIMG_FUSED_INT8_CUH

#include "kernels/smooth/fused/int8/output.cuh"
#include "kernels/smooth/fused/int8/products.cuh"

/* Computes and stores the samples of a warp, step by step. */
template <class Shape, int ALONG>
__device__ __forceinline__ void compute_steps(const int8_plan &plan, const int8_memory &memory,
                                              const int8_places &places, int8_target target,
                                              const queue_part &part, int steps, int warp, int lane)
{
    const int before = plan.down_blocks - 1;
    int oldest = 0;
    ring_slot<INT8_STAGES> stage = {0, 0};
    const uint32_t full = kept(shared_address(memory.full));
    const uint32_t freed = full + INT8_STAGES * sizeof *memory.full; /* they lie behind */
    uint32_t offset[4];

    load_four(offset, memory.offset[lane]);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const uint32_t here = places.in + (uint32_t)(stage.index * 8 * plan.row_bytes);
        uint32_t t[Shape::tiles][4];

        barrier_wait(full + 8 * (uint32_t)stage.index, stage.parity);
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile += Shape::together) {
            const uint32_t history = places.history + (uint32_t)(tile * TILE_BYTES);
            uint32_t v[Shape::together][4];

            sum_along_rows<Shape, ALONG>(v, plan, here + (uint32_t)(16 * tile * Shape::bytes),
                                         places.along);
            if (step >= before)
                sum_down_columns<Shape, ALONG>(t + tile, plan, places.down, history, offset, oldest,
                                               v);
            store_history<Shape>(history + (uint32_t)oldest * Shape::history_bytes, v);
        }
        barrier_arrive(freed + 8 * (uint32_t)stage.index);
        if (step >= before) {
            store_step<Shape>(target, places.out, t);
            queue_unresolved<Shape>(memory.queues[warp], part, plan, t, step - before, lane);
        }
        oldest = oldest + 1 < before ? oldest + 1 : 0;
        stage.advance();
    }
}

/* exact: the weights of the definition (smooth/reference.c), for unresolved samples. segment_rows:
 * rows of a segment (segments.cuh). ALONG: plan.along_sums. */
template <class Shape, int ALONG>
__global__ void __launch_bounds__(32 * INT8_BLOCK_WARPS, INT8_RESIDENT<Shape, ALONG>)
    fused_int8(const __grid_constant__ stack images, const __grid_constant__ int8_filter plan,
               const __grid_constant__ int8_exact exact, const int segment_rows)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    DYN_SHARED(char, shared);
    const source src = image_of_block(images.src, images.src_apart);
    const view dst = image_of_block(images.dst, images.dst_apart);
    const int8_memory memory = int8_memory_at(plan, Shape::row_tiles, Shape::bytes, shared);
    const unsigned lane = threadIdx.x, warp = threadIdx.y;
    const segment own = segment_of_block(src.height, segment_rows);
    const int64_t first = (int64_t)own.column * Shape::row_samples;
    const int64_t sample = first + Shape::warp_samples * warp;
    const int steps = (own.rows + 7) / 8 + plan.down_blocks - 1;

    if (own.rows <= 0) {
        await_kernel_before();
        return;
    }
    lay_out_operands<Shape::bytes>(memory.tables, reinterpret_cast<uint32_t *>(memory.in), plan,
                                   (int)warp, (int)lane);
    await_kernel_before();
    if (warp < INT8_WARPS && lane == 0)
        memory.queues[warp].count = 0;
    if (warp == 0 && lane < INT8_STAGES) {
        barrier_init(shared_address(memory.full + lane), 2 * 32);
        barrier_init(shared_address(memory.freed + lane), INT8_WARPS * 32);
    }
    if (warp == 0)
        memory.offset[lane] = make_uint4(plan.offset, plan.offset, plan.offset, plan.offset);
    __syncthreads();
    if (warp == INT8_WARPS) {
        load_rows<Shape>(src, plan, memory, own, first, steps, (int)lane);
        return;
    }
    const queue_part part = {
        sample, own.top, (int)min(dst.width * dst.channels - sample, (int64_t)Shape::warp_samples),
        own.rows};

    compute_steps<Shape, ALONG>(
        plan, memory, places_of_lane<Shape>(memory, plan, warp, lane),
        target_of_block<Shape>(dst, sample, own.top, own.rows,
                               shared_address(memory.out) + warp * (8 * Shape::out_row), lane),
        part, steps, (int)warp, (int)lane);
    __syncwarp();
    if (memory.queues[warp].count > 0)
        repair_queued<typename Shape::sample>(memory.queues[warp], part, src, dst, exact);
#endif
}

#endif
