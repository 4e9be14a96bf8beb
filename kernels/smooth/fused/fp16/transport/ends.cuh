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

/* Loads the group whose first row is y into the slot. Not inlined: it is rare, and its registers
 * must not add to those of the loop. */
template <class Shape>
__device__ __noinline__ void load_at_end(fp16_memory<Shape> &memory, const source &src,
                                         int64_t column, int64_t y, int halo, int slot, int helper)
{
    constexpr int units = (Shape::in_row + Shape::side_row) / UNIT;
    static_assert(units <= 32, "a lane for each");
    const int lane = (int)threadIdx.x % 32, first = Shape::helpers > 1 ? helper : 0;
    const block_row row = row_of_group<Shape>(src, column, halo * src.channels);
    const bool copied = lane >= row.units && lane < row.end;
    const bool needed =
        lane >= row.begin / UNIT && UNIT * (lane - row.end) < row.gathered - row.before;
    const auto address_of = [&](int place, int i) {
        const fp16_place at = place_of_input(memory, place, first + Shape::helpers * i);

        return at.address + (uint32_t)slot * at.group;
    };

    for (int i = 0; i < GROUP_ROWS / Shape::helpers && lane < units; i++) {
        const int64_t from = y + first + Shape::helpers * i;
        const char *line = from < src.height + halo ? source_line<char>(src, from) : nullptr;

        if (copied && line)
            unit_load(address_of(UNIT * lane, i), line + row.first + UNIT * lane, false);
        else if (copied || !needed)
            unit_load(address_of(UNIT * lane, i), src.origin, true);
    }
    gather_samples<uint8_t>(
        src, row, y + first, Shape::helpers, GROUP_ROWS / Shape::helpers,
        [&](int i, int place, uint8_t sample) { store_shared(address_of(place, i), sample); });
    unit_loads_arrive(shared_address(&memory.full[slot]));
    barrier_arrive(shared_address(&memory.full[slot]));
}

#endif
