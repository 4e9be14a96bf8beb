/* SPDX-License-Identifier: MIT */
/* The numbers in which smooth_layers computes: floats for 8 bits, doubles for 16. A sample is its
 * distance from the middle of the range, which makes numbers smaller and so their errors: since the
 * weights sum to one, the distances are smoothed as the samples are. A lane holds 8 bytes of a row.
 */
#ifndef SMOOTHIMG_LAYERS_NUMBERS_CUH
#define SMOOTHIMG_LAYERS_NUMBERS_CUH

#include "kernels/common/launch.cuh"

template <typename Sample> struct layer_numbers;

template <> struct layer_numbers<uint8_t> {
    typedef float real;
    typedef float distance;              /* from a whole number */
    static constexpr int words = 1;      /* registers of a real */
    static constexpr int columns = 8;    /* of a lane */
    static constexpr int precision = 24; /* bits of a real */
    static constexpr int middle = 128;
    static constexpr float whole = 12582912; /* 2^23 + 2^22: a sum with it is rounded */

    /* A byte is laid into the mantissa of 2^23. */
    static __device__ __forceinline__ void unpack(float (&row)[columns], uint64_t bytes)
    {
#pragma unroll
        for (int i = 0; i < columns; i++)
            row[i] = __uint_as_float(__byte_perm((uint32_t)(bytes >> (i / 4 * 32)), 0x4b000000,
                                                 0x7540u | (uint32_t)(i % 4))) -
                     (8388608 + middle);
    }

    static __device__ __forceinline__ float number(uint8_t sample)
    {
        return __uint_as_float(0x4b000000u | sample) - (8388608 + middle);
    }

    static __device__ __forceinline__ uint32_t pack_word(const float *row)
    {
        uint32_t bits[4];

#pragma unroll
        for (int i = 0; i < 4; i++)
            bits[i] = __float_as_uint(row[i] + (whole + middle));
        return __byte_perm(__byte_perm(bits[0], bits[1], 0x0040),
                           __byte_perm(bits[2], bits[3], 0x0040), 0x5410);
    }

    static __device__ __forceinline__ uint64_t pack(const float (&row)[columns])
    {
        return (uint64_t)pack_word(row + 4) << 32 | pack_word(row);
    }

    static __device__ __forceinline__ void note(float &farthest, float distance)
    {
        farthest = fmaxf(farthest, fabsf(distance));
    }

    static __device__ __forceinline__ bool reaches(float farthest, float limit)
    {
        return farthest >= limit;
    }
};

/* Of a double's distance its upper half tells enough, without its sign. */
template <> struct layer_numbers<uint16_t> {
    typedef double real;
    typedef uint32_t distance;
    static constexpr int words = 2;
    static constexpr int columns = 4;
    static constexpr int precision = 53;
    static constexpr int middle = 32768;
    static constexpr double whole = 6755399441055744; /* 2^52 + 2^51 */

    static __device__ __forceinline__ void unpack(double (&row)[columns], uint64_t bytes)
    {
#pragma unroll
        for (int i = 0; i < columns; i++)
            row[i] = __hiloint2double(0x43300000, (int)(bytes >> (16 * i) & 0xffff)) -
                     (4503599627370496.0 + middle);
    }

    static __device__ __forceinline__ double number(uint16_t sample)
    {
        return __hiloint2double(0x43300000, sample) - (4503599627370496.0 + middle);
    }

    static __device__ __forceinline__ uint64_t pack(const double (&row)[columns])
    {
        uint64_t bytes = 0;

#pragma unroll
        for (int i = 0; i < columns; i++)
            bytes |= (uint64_t)(__double2loint(row[i] + (whole + middle)) & 0xffff) << (16 * i);
        return bytes;
    }

    static __device__ __forceinline__ void note(uint32_t &farthest, double distance)
    {
        farthest = max(farthest, (uint32_t)__double2hiint(distance) & 0x7fffffff);
    }

    static __device__ __forceinline__ bool reaches(uint32_t farthest, double limit)
    {
        return farthest >= (uint32_t)__double2hiint(limit);
    }
};

#endif
