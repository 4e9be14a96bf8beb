/* SPDX-License-Identifier: MIT */
/* The copies of fused_fp16 by the lanes of the helping warps (the warps that load and store:
 * shape.cuh), 16 bytes at a time. Rows are loaded from the places that the edge rule gives, to the
 * addresses where the TMA (tensor memory accelerator) would put them. On GPUs without the TMA the
 * lanes copy everything; on other GPUs they only load groups that reach an end of the image. A
 * group that lanes load is complete after two arrivals of each lane at its barrier: one for the
 * lane's copies, one for its own stores.
 *
 * The ring buffer in shared memory has slots for groups of 16 rows. A round is 32 rows of
 * outputs. */
#ifndef SMOOTHIMG_FUSED_FP16_LANES_CUH
#define SMOOTHIMG_FUSED_FP16_LANES_CUH

#include "kernels/smooth/fused/fp16/operands.cuh"

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

/* Stores the round's outputs, except the last samples of a row that do not fill 16 bytes
 * (store_tail()). Half a warp stores a row. */
template <class Shape>
__device__ __forceinline__ void store_by_lanes(fp16_memory<Shape> &memory, const view &dst,
                                               const fp16_work &work, int round, int buffer,
                                               int helper, int lane)
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

#endif
