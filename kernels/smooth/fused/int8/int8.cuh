/* SPDX-License-Identifier: MIT */
/* The kernel fused_int8 smooths in whole numbers on tensor cores, for 8 and 16 bits, halos up to 64
 * and up to 64 channels. int8/plan.cuh has the arithmetic. At small halos it is slower than
 * fused_window and fused_fp16. Its error has one bound for all images. A sample whose rounding is
 * not proven is unresolved, and is computed again. For a Gaussian whose halos are both 3 sigma, and
 * an image of noise, at most one sample in 20,000 is unresolved for 8 bits, and one in 3,000 for 16
 * bits.
 *
 * A thread block computes 256 neighbouring samples of each row, and moves downwards in steps of
 * eight rows. Each of its four warps has 64 samples, in four tiles of 16. With three planes (one
 * for each channel, int8/planes.cuh) a warp has 48 samples, in three tiles, and the block 192. Rows
 * are loaded into shared memory some steps ahead (cp.async). Their bytes are the operands of the
 * products along the rows. The sums along the rows, V, have 32 bits; the products down the columns
 * take operands of 8 bits. So V is split into four digits in base 2^8. The digits are the bytes of
 * V, and the products along the rows leave them in the registers from which the products down the
 * columns read: no instruction extracts a digit. Each warp also stores its V in shared memory, for
 * later steps whose windows contain these rows. */
#ifndef SMOOTHIMG_FUSED_INT8_CUH
#define SMOOTHIMG_FUSED_INT8_CUH

#include "kernels/smooth/fused/int8/output.cuh"
#include "kernels/smooth/fused/int8/products.cuh"

/* exact: the weights of the definition (smooth/reference.c), for unresolved samples. chosen: NULL,
 * or one byte for each thread block, which the previous kernel sets if the block has rows; a block
 * whose byte is 0 does nothing. segment_rows: rows of a segment (segments.cuh). ALONG:
 * plan.along_sums. */
template <class Shape, int ALONG>
__global__ void __launch_bounds__(32 * INT8_WARPS, 4)
    fused_int8(const __grid_constant__ stack images, const __grid_constant__ int8_filter plan,
               const __grid_constant__ int8_exact exact, const uint8_t *chosen,
               const int segment_rows)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    DYN_SHARED(char, shared);
    const source src = image_of_block(images.src, images.src_apart);
    const view dst = image_of_block(images.dst, images.dst_apart);
    const int8_memory memory = int8_memory_at(plan, Shape::row_tiles, Shape::bytes, shared);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const segment own = segment_of_block(src.height, segment_rows);
    const int64_t first = (int64_t)own.column * Shape::row_samples;
    const int64_t sample = first + Shape::warp_samples * warp;
    const int before = plan.down_blocks - 1, steps = (own.rows + 7) / 8 + before;
    int8_rows coming = rows_of_block<Shape>(src, plan, memory, own, first, warp, lane);
    int8_target target = target_of_block<Shape>(dst, sample, own.top, own.rows, lane);
    const queue_part part = {
        sample, own.top, (int)min(dst.width * dst.channels - sample, (int64_t)Shape::warp_samples),
        own.rows};
    unresolved_queue &queue = memory.queues[warp];
    int oldest = 0, stage = 0;
    uint32_t offset[4];

    if (chosen || own.rows <= 0) {
        await_kernel_before();
        if (own.rows <= 0 || !chosen[blockIdx.y * gridDim.x + blockIdx.x])
            return;
    }
    lay_out_operands<Shape::bytes>(memory.tables, reinterpret_cast<uint32_t *>(memory.in), plan,
                                   warp, lane);
    await_kernel_before();
    if (lane == 0)
        queue.count = 0;
    if (threadIdx.x == 0)
        *memory.offset = make_uint4(plan.offset, plan.offset, plan.offset, plan.offset);
    __syncthreads();
    load_four(offset, *memory.offset);
    ask_for_rows<Shape, INT8_STAGES - 1>(coming, images, memory);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        uint32_t v[Shape::tiles][4], t[Shape::tiles][4];

        __pipeline_wait_prior(INT8_STAGES - 2);
        __syncthreads(); /* no warp still reads the buffer that is filled next */
        ask_for_rows<Shape, 1>(coming, images, memory);
        sum_along_rows<Shape, ALONG>(v, plan, memory.tables,
                                     memory.in + stage * 8 * plan.row_bytes +
                                         Shape::warp_samples * Shape::bytes * warp,
                                     lane);
        if (step >= before) {
            sum_down_columns<Shape>(t, plan, memory, offset, oldest, v, warp, lane);
            store_step<Shape>(target, memory.out + warp * 8 * Shape::out_row, t, lane);
            queue_unresolved<Shape>(queue, part, plan, t, step - before, lane);
        }
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile++)
            memory.history[oldest * Shape::row_tiles + warp * Shape::tiles + tile][lane] =
                make_uint4(v[tile][0], v[tile][1], v[tile][2], v[tile][3]);
        oldest = oldest + 1 < before ? oldest + 1 : 0;
        stage = (stage + 1) % INT8_STAGES;
    }
    __syncwarp();
    if (queue.count > 0)
        repair_queued<typename Shape::sample>(queue, part, src, dst, exact);
#endif
}

#endif
