// SPDX-License-Identifier: MIT
// dim3 and the vector types in use, with CUDA's sizes and alignments. A load or store of a vector
// is one access of its whole size, and must be aligned to it.
#ifndef SMOOTHIMG_EMULATED_VECTORS_H
#define SMOOTHIMG_EMULATED_VECTORS_H

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

#define EMULATED_VECTOR2(NAME, T)                                                                  \
    struct alignas(2 * sizeof(T)) NAME##2                                                          \
    {                                                                                              \
        T x, y;                                                                                    \
    };                                                                                             \
    constexpr NAME##2 make_##NAME##2(T x, T y)                                                     \
    {                                                                                              \
        return {x, y};                                                                             \
    }
#define EMULATED_VECTOR4(NAME, T)                                                                  \
    struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) NAME##4                                     \
    {                                                                                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    constexpr NAME##4 make_##NAME##4(T x, T y, T z, T w)                                           \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }

EMULATED_VECTOR2(uchar, unsigned char)
EMULATED_VECTOR2(ushort, unsigned short)
EMULATED_VECTOR2(int, int)
EMULATED_VECTOR2(uint, unsigned)
EMULATED_VECTOR2(float, float)
EMULATED_VECTOR2(double, double)
EMULATED_VECTOR2(longlong, long long)
EMULATED_VECTOR2(ulonglong, unsigned long long)
EMULATED_VECTOR4(uchar, unsigned char)
EMULATED_VECTOR4(ushort, unsigned short)
EMULATED_VECTOR4(int, int)
EMULATED_VECTOR4(uint, unsigned)
EMULATED_VECTOR4(float, float)

#undef EMULATED_VECTOR2
#undef EMULATED_VECTOR4

#endif
