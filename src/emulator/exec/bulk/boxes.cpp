// SPDX-License-Identifier: MIT
// The copy unit (TMA) copies boxes, which are rectangles of a matrix. This file divides a box into
// units of 16 bytes.
#include "src/emulator/exec/bulk/bulk.h"
#include "src/emulator/exec/bulk/tensor_map.h"
#include "src/emulator/exec/threads.h"

#include <algorithm>

namespace emulated
{

static const tensor_map &map_at(const CUtensorMap *map, place where)
{
    const tensor_map *described = reinterpret_cast<const tensor_map *>(map);

    if (described->mark != tensor_map::MARK)
        fault_here(cudaErrorLaunchFailure, where, "no map of a matrix");
    return *described;
}

bulk_copy &box_of(const CUtensorMap *described, int x, int y, uint32_t shared, bool whole,
                  place where)
{
    const tensor_map &map = map_at(described, where);
    bulk_copy &box = *asked;

    need_capability(9, "a copy of a box", where);
    if (x % 16 != 0)
        fault_here(cudaErrorIllegalInstruction, where, "a box from column %d on: no multiple of 16",
                   x);
    if (shared % 128 != 0)
        fault_here(cudaErrorLaunchFailure, where, "a box at %#x: no multiple of 128", shared);
    box = {};
    box.shared = shared;
    box.bytes = map.box_width * map.box_rows;
    for (uint32_t i = 0; i < box.bytes; i += 16) {
        const uint32_t at = shared + i;
        const int64_t column = x + (int64_t)(i % map.box_width);
        const int64_t row = y + (int64_t)(i / map.box_width);
        const bool inside =
            column >= 0 && column < (int64_t)map.width && row >= 0 && row < (int64_t)map.rows;
        const int64_t left = inside ? (int64_t)map.width - column : 0;

        box.units.push_back({map.swizzled ? at ^ (at >> 7 & 7) << 4 : at,
                             map.base + row * (int64_t)map.stride + column,
                             left > 0 && whole ? 16 : (unsigned)std::min(left, (int64_t)16)});
    }
    return box;
}

} // namespace emulated
