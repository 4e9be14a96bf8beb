// SPDX-License-Identifier: MIT
// dim3 and the vector types that kernels use, with CUDA's sizes and alignments. A load or store of
// a vector is a single access, and its address must be a multiple of the vector's size.
#ifndef SMOOTHIMG_EMULATED_VECTORS_H
#define SMOOTHIMG_EMULATED_VECTORS_H

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

struct alignas(8) uint2 {
    unsigned x, y;
};

struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

constexpr uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}

constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

#endif
