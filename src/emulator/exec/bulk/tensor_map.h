// SPDX-License-Identifier: MIT
// The emulated contents of a CUtensorMap, which describes a matrix of bytes in device memory to the
// copy unit (TMA).
#ifndef SMOOTHIMG_EMULATED_TENSOR_MAP_H
#define SMOOTHIMG_EMULATED_TENSOR_MAP_H

#include <cstdint>
#include <cuda.h>

namespace emulated
{

struct tensor_map {
    static constexpr uint64_t MARK = 0x7470616d2d616d74; // marks a valid map

    uint64_t mark;
    char *base;
    uint64_t width, rows, stride; // width and stride in bytes
    uint32_t box_width, box_rows;
    // If true, a row of the box fills one line of 128 bytes of shared memory. In line n, bytes 16 i
    // to 16 i + 15 of the row (i in 0..7) are stored as bytes 16 j to 16 j + 15, with j = i ^ (n %
    // 8).
    bool swizzled;
};
static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap));

} // namespace emulated

#endif
