/* SPDX-License-Identifier: MIT */
/* Loads groups of rows by the lanes of the helping warps (the warps that load and store:
 * shape.cuh), each row from the place that the edge rule gives. On GPUs without the TMA (tensor
 * memory accelerator) the lanes load all groups, on other GPUs only those that reach an end of the
 * image. A group that lanes load is complete after two arrivals of each lane at its barrier: one
 * for the lane's copies, one for its own stores.
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. */
#ifndef SMOOTHIMG_FUSED_FP16_ENDS_CUH
#define SMOOTHIMG_FUSED_FP16_ENDS_CUH

#include "kernels/smooth/fused/fp16/operands.cuh"

template <class Shape>
__device__ __forceinline__ block_row row_of_group(const source &src, int64_t column, int reach)
{
    const int64_t outputs = min(src.width * src.channels - column, (int64_t)Shape::columns);

    return block_row_of<UNIT>(src, column - Shape::before, Shape::before - reach,
                              Shape::before + (int)outputs + reach);
}

/* Returns the row of the image with which a group begins. */
__device__ __forceinline__ int64_t top_of_group(const fp16_work &work, int group)
{
    return work.row - work.halo + (int64_t)group * GROUP_ROWS;
}

/* True if the group whose first row is y has rows or columns outside the image, for which the edge
 * rule applies. */
__device__ __forceinline__ bool group_at_end(const source &src, const fp16_work &work, int64_t y)
{
    const int64_t end = min(y + GROUP_ROWS, work.height + work.halo);

    return work.at_end && (work.at_side || !source_has_rows(src, y, end - 1));
}

/* Loads the group whose first row is y into the slot. Not inlined, so that the calling loop does
 * not need its registers too. */
template <class Shape>
__device__ __noinline__ void load_by_lanes(fp16_memory<Shape> &memory, const source &src, int64_t y,
                                           int slot, int helper)
{
    constexpr int units = (Shape::in_row + Shape::side_row) / UNIT;
    static_assert(units <= 32, "a lane for each");
    constexpr int apart = Shape::helpers, rows = GROUP_ROWS / apart; /* rows of this helper */
    const int lane = (int)threadIdx.x % 32, first = apart > 1 ? helper : 0;
    const block_row row = memory.ends.row;
    const bool copied = lane >= row.units && lane < row.end;
    const bool needed =
        lane >= row.begin / UNIT && UNIT * (lane - row.end) < row.gathered - row.before;
    const char *lines = lines_of_lanes<char>(src, y + first, apart, rows);
    const auto address_of = [&](int place, int i) {
        const fp16_place at = place_of_input(memory, place, first + apart * i);

        return at.address + (uint32_t)slot * at.group;
    };

#pragma unroll
    for (int i = 0; i < rows; i++) {
        const char *line = line_of(lines, i);
        const bool zero = !copied || !line;

        if (lane < units && (copied || !needed))
            unit_load(address_of(UNIT * lane, i),
                      zero ? static_cast<char *>(src.origin) : line + row.first + UNIT * lane,
                      zero);
    }
    gather_samples<uint8_t>(
        src, memory.ends, reinterpret_cast<const uint8_t *>(lines), rows, [] {},
        [&](int i, int place, uint8_t sample) { store_shared(address_of(place, i), sample); });
    unit_loads_arrive(shared_address(&memory.full[slot]));
    barrier_arrive(shared_address(&memory.full[slot]));
}

#endif
