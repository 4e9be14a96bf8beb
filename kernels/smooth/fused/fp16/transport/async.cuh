/* SPDX-License-Identifier: MIT */
/* The copies of fused_fp16 without the TMA (tensor memory accelerator). Each lane of the helping
 * warps (the warps that load and store: shape.cuh) loads 16 bytes of a row (cp.async) to the
 * address where the TMA would put them. Each lane also stores 16 bytes of outputs at a time.
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. A round is 32 rows of
 * outputs. */
#ifndef SMOOTHIMG_FUSED_FP16_ASYNC_CUH
#define SMOOTHIMG_FUSED_FP16_ASYNC_CUH

#include "kernels/smooth/fused/fp16/transport/ends.cuh"

/* Returns true, since all lanes of the helping warps copy. */
__device__ __forceinline__ bool copies(const fp16_async &, int, int)
{
    return true;
}

template <class Shape>
__device__ __forceinline__ uint32_t arrivals_of_group(const fp16_async &, bool)
{
    return 64 * Shape::helpers;
}

/* Starts the load of the 16 rows of group `group` into the slot of the ring buffer. */
template <class Shape>
__device__ __forceinline__ void load_group(fp16_memory<Shape> &memory, const fp16_async &,
                                           const source &src, const fp16_work &work, int group,
                                           int slot, int helper, int)
{
    load_by_lanes<Shape>(memory, src, top_of_group(work, group), slot, helper);
}

/* Stores the round's outputs, except the last samples of a row that do not fill 16 bytes
 * (store_tail()). Half a warp stores a row. */
template <class Shape>
__device__ __forceinline__ void store_round(fp16_memory<Shape> &memory, const fp16_async &,
                                            const view &dst, const fp16_work &work, int round,
                                            int buffer, int helper, int lane)
{
    constexpr int row_lanes = 16, step = 2 * Shape::helpers;
    static_assert(Shape::columns <= UNIT * row_lanes, "");
    const int column = UNIT * (lane % row_lanes);
    const int first = (Shape::helpers > 1 ? 2 * helper : 0) + lane / row_lanes;
    const int64_t y = work.row + (int64_t)round * ROUND_ROWS;

    if (column >= Shape::columns || work.column + column + UNIT > work.width)
        return;
#pragma unroll
    for (int row = first; row < ROUND_ROWS; row += step) {
        const uint32_t place = place_of_output<Shape>((uint32_t)column, (uint32_t)row);

        if (y + row < work.height)
            *reinterpret_cast<uint4 *>(row_of<char>(dst, y + row) + work.column + column) =
                load_shared<uint4>(shared_address(memory.out[buffer]) + place);
    }
}

/* Does nothing: store_round() reads the whole buffer before it returns. */
template <class Shape> __device__ __forceinline__ void await_reads(const fp16_async &) {}

__device__ __forceinline__ void await_stores(const fp16_async &) {}

template <class Shape> static const char *describe_images(const struct piece *, fp16_async *)
{
    return NULL;
}

#endif
