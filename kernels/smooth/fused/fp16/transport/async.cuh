/* SPDX-License-Identifier: MIT */
/* The copies of fused_fp16 without the TMA (tensor memory accelerator). Each lane of the helping
 * warps loads 16 bytes of a row (cp.async) to the address where the TMA would put them, and stores
 * 16 bytes of outputs at a time.
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. A round is 32 rows of
 * outputs. */
#ifndef SMOOTHIMG_FUSED_FP16_ASYNC_CUH
#define SMOOTHIMG_FUSED_FP16_ASYNC_CUH

#include "kernels/smooth/fused/fp16/transport/ends.cuh"

/* All lanes of the helping warps copy. */
__device__ __forceinline__ bool copies(const fp16_async &, int, int)
{
    return true;
}

template <class Shape>
__device__ __forceinline__ uint32_t arrivals_of_group(const fp16_async &, bool at_end)
{
    return (at_end ? 64 : 32) * Shape::helpers;
}

/* Returns how many of `most` rows, from row y on, are before row `end`. */
__device__ __forceinline__ int rows_before(int64_t end, int64_t y, int most)
{
    return (int)max((int64_t)0, min(end - y, (int64_t)most));
}

/* Starts the load of the block's rows of group `group` into the slot. Each lane loads one unit of
 * 16 bytes of a row, and the helping warps alternate between rows. Units that are not needed are
 * filled with zeros. */
template <class Shape>
__device__ __forceinline__ void load_group(fp16_memory<Shape> &memory, const fp16_async &,
                                           const source &src, const fp16_work &work, int group,
                                           int slot, int helper, int lane)
{
    constexpr int units = (Shape::in_row + Shape::side_row) / UNIT;
    const int first = Shape::helpers > 1 ? helper : 0;
    const int64_t top = top_of_group(work, group), y = top + first;
    const int64_t x = work.column - Shape::before + UNIT * lane;
    const bool needed = x + UNIT > -work.reach && x < work.width + work.reach;
    const int rows = /* counted from the first row */
        needed ? rows_before(work.height + work.halo, y, GROUP_ROWS) : 0;
    const unit_places<Shape> to(memory, slot, first, lane);
    const char *from = row_of<const char>(src, y) + x;

    if (group_at_end(src, work, top)) {
        load_at_end<Shape>(memory, src, top, slot, helper);
        return;
    }
    if (lane < units)
#pragma unroll
        for (int i = 0; i < GROUP_ROWS; i += Shape::helpers) {
            unit_load(to.down(i), from, i >= rows);
            from += Shape::helpers * src.stride_bytes;
        }
    unit_loads_arrive(shared_address(&memory.full[slot]));
    if (work.at_end)
        barrier_arrive(shared_address(&memory.full[slot]));
}

/* Stores the round's outputs, except the tail (pixels that do not fill 16 bytes). Half a warp
 * stores a row. */
template <class Shape>
__device__ __forceinline__ void store_round(fp16_memory<Shape> &memory, const fp16_async &images,
                                            const fp16_work &work, int round, int buffer,
                                            int helper, int lane)
{
    constexpr int row_lanes = 16, step = 2 * Shape::helpers;
    static_assert(Shape::columns <= UNIT * row_lanes, "");
    const int column = UNIT * (lane % row_lanes);
    const int first = (Shape::helpers > 1 ? 2 * helper : 0) + lane / row_lanes;
    const int64_t y = work.row + (int64_t)round * ROUND_ROWS + first;
    const int rows = rows_before(work.height, y, ROUND_ROWS); /* counted from the first row */
    const uint32_t from = shared_address(memory.out[buffer]) +
                          place_of_output<Shape>((uint32_t)column, (uint32_t)first);
    char *to = images.out + y * images.out_stride + work.column + column;

    if (column >= Shape::columns || work.column + column + UNIT > work.width)
        return;
#pragma unroll
    for (int i = 0; i < ROUND_ROWS; i += step) {
        if (i < rows)
            *reinterpret_cast<uint4 *>(to) = load_shared<uint4>(
                further_down(from, (uint32_t)i, Shape::out_box, Shape::out_swizzle));
        to += step * images.out_stride;
    }
}

/* Does nothing: store_round() reads the whole buffer before it returns. */
template <class Shape> __device__ __forceinline__ void await_reads(const fp16_async &) {}

__device__ __forceinline__ void await_stores(const fp16_async &) {}

template <class Shape>
static const char *describe_images(const struct piece *piece, fp16_async *images)
{
    *images = {static_cast<char *>(piece->dst.origin), piece->dst.stride_bytes};
    return NULL;
}

#endif
