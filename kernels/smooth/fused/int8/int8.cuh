/* SPDX-License-Identifier: MIT */
/* The fused smooth in whole numbers on tensor cores, for any halo to 64, any channels, 8 and 16
 * bits; int8/plan.cuh has the arithmetic. At small halos it is slower than the less exact kernels,
 * but it leaves at most one sample in 10^5 unresolved, whatever the image.
 *
 * A thread block smooths a block of columns, 256 samples wide, downwards in steps of eight rows.
 * Each of its four warps has 64 samples, four tiles of 16 (with three planes 48, three tiles). Rows
 * come to shared memory some steps ahead (cp.async). The bytes there are directly an operand of the
 * products along the rows. The 32-bit sums V, as they lie in registers, are directly an operand of
 * the products down the columns: each byte of V is a digit in base 2^8, so no instruction extracts
 * digits. Each warp keeps the V of its window's rows in shared memory. */
#ifndef SMOOTHIMG_FUSED_INT8_CUH
#define SMOOTHIMG_FUSED_INT8_CUH

#include "kernels/smooth/fused/int8/output.cuh"
#include "kernels/smooth/fused/int8/products.cuh"

/* Which parts of the image are to be computed: all, or those that fused_fp16 left out. */
struct int8_choice {
    const uint8_t *parts; /* NULL, or `in_row` bytes for each row of thread blocks, one for
                             `samples` samples, 2^31 in a row at most: not 0 where chosen */
    int samples, in_row;
};

/* Whether one of the parts that a block's `count` samples lie in is chosen. */
__device__ __forceinline__ bool is_chosen(const int8_choice &chosen, int count)
{
    if (!chosen.parts)
        return true;
    const uint8_t *row = chosen.parts + (int64_t)blockIdx.y * chosen.in_row;
    const int first = (int)blockIdx.x * count;
    const int last = min((first + count - 1) / chosen.samples, chosen.in_row - 1);

    for (int part = first / chosen.samples; part <= last; part++)
        if (row[part])
            return true;
    return false;
}

/* tables: what lay_out_int8 wrote. segment_rows: rows of a thread block. ALONG: plan.along_sums. */
template <class Shape, int ALONG>
__global__ void __launch_bounds__(32 * INT8_WARPS, 4)
    fused_int8(const view src, const view dst, const __grid_constant__ int8_plan plan,
               const uint4 *tables, const int8_choice chosen, const int segment_rows,
               unresolved_list *list, const int64_t capacity)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    DYN_SHARED(char, shared);
    const int8_memory<Shape> memory = int8_memory_at<Shape>(plan, shared);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int64_t first = (int64_t)blockIdx.x * Shape::row_samples;
    const int64_t sample = first + Shape::warp_samples * warp;
    const int64_t top = (int64_t)blockIdx.y * segment_rows;
    const int rows = (int)min((int64_t)segment_rows, dst.height - top);
    const int before = plan.down_blocks - 1, steps = (rows + 7) / 8 + before;
    int8_source source = source_of_block<Shape>(src, plan, memory.in, first, top, rows, warp, lane);
    int8_target target = target_of_block<Shape>(dst, sample, top, rows, lane);
    int8_queue own = {memory.queue[warp],
                      0,
                      sample,
                      top,
                      (int)min(dst.width * dst.channels - sample, (int64_t)Shape::warp_samples),
                      rows};
    int oldest = 0, stage = 0;
    uint32_t offset[4];

    await_kernel_before();
    if (!is_chosen(chosen, Shape::row_samples))
        return;
    for (int i = (int)threadIdx.x; i < (int)(tables_bytes(plan) / 16); i += 32 * INT8_WARPS)
        reinterpret_cast<uint4 *>(shared)[i] = tables[i];
    if (threadIdx.x == 0)
        *memory.offset = make_uint4(plan.offset, plan.offset, plan.offset, plan.offset);
    __syncthreads();
    load_four(offset, *memory.offset);
    for (int step = 0; step < INT8_STAGES - 1; step++)
        ask_for_rows(source);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        uint32_t v[Shape::tiles][4], t[Shape::tiles][4];

        __pipeline_wait_prior(INT8_STAGES - 2);
        __syncthreads(); /* and all are through with the last step, whose stage is filled next */
        ask_for_rows(source);
        sum_along_rows<Shape, ALONG>(v, plan, memory.tables,
                                     memory.in + stage * 8 * plan.row_bytes +
                                         Shape::warp_samples * Shape::bytes * warp,
                                     lane);
        if (step >= before) {
            sum_down_columns<Shape>(t, plan, memory, offset, oldest, v, warp, lane);
            store_step<Shape>(target, memory.out + warp * 8 * int8_memory<Shape>::out_row, t, lane);
            queue_unresolved<Shape>(own, plan, t, step - before, list, capacity, lane);
        }
#pragma unroll
        for (int tile = 0; tile < Shape::tiles; tile++)
            memory.history[oldest][warp * Shape::tiles + tile][lane] =
                make_uint4(v[tile][0], v[tile][1], v[tile][2], v[tile][3]);
        oldest = oldest + 1 < before ? oldest + 1 : 0;
        stage = (stage + 1) % INT8_STAGES;
    }
    if (own.count > 0)
        list_queue<Shape::planes>(own, plan.channels, list, capacity, lane);
#endif
}

#endif
