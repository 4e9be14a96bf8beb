/* SPDX-License-Identifier: MIT */
/* Loads of groups of rows that reach an end of the image, for both transports. All lanes of the
 * helping warps load them, and read for each row the one that the edge rule names. Such a group is
 * complete after two arrivals of each lane: one for its copies, one for its own stores.
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

/* Where a lane's units of 16 bytes go, one in each row of a slot. */
template <class Shape> struct unit_places {
    uint32_t first, pitch, swizzle;

    /* row: the first row */
    __device__ __forceinline__ unit_places(const fp16_memory<Shape> &memory, int slot, int row,
                                           int lane)
    {
        const bool beside = Shape::planes == 1 && UNIT * lane >= Shape::columns;
        const fp16_place place = place_of_input(memory, UNIT * lane, row);

        first = place.address + (uint32_t)slot * place.group;
        pitch = beside ? Shape::side_row : Shape::in_box;
        swizzle = beside ? 0 : Shape::swizzle;
    }

    __device__ __forceinline__ uint32_t down(int rows) const
    {
        return further_down(first, (uint32_t)rows, pitch, swizzle);
    }
};

/* Loads the group whose first row is y into the slot. Not inlined: it is rare, and its registers
 * must not add to those of the loop. */
template <class Shape>
__device__ __noinline__ void load_at_end(fp16_memory<Shape> &memory, const source &src, int64_t y,
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
    const unit_places<Shape> to(memory, slot, first, lane);

#pragma unroll
    for (int i = 0; i < rows; i++) {
        const char *line = line_of(lines, i);
        const bool zero = !copied || !line;

        if (lane < units && (copied || !needed))
            unit_load(to.down(i * apart),
                      zero ? static_cast<char *>(src.origin) : line + row.first + UNIT * lane,
                      zero);
    }
    gather_samples<uint8_t>(
        src, memory.ends, reinterpret_cast<const uint8_t *>(lines), rows, [] {},
        [&](int i, int place, uint8_t sample) {
            const fp16_place at = place_of_input(memory, place, first + apart * i);

            store_shared(at.address + (uint32_t)slot * at.group, sample);
        });
    unit_loads_arrive(shared_address(&memory.full[slot]));
    barrier_arrive(shared_address(&memory.full[slot]));
}

#endif
