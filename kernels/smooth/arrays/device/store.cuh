/* SPDX-License-Identifier: MIT */
/* Sums, rounded into samples of any type; those that may be wrong are left open. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH

#include "kernels/smooth/arrays/device/load.cuh"
#include "kernels/smooth/arrays/exact.h"

/* Rounds into a sample; returns whether it may be wrong. */
template <bool WIDE>
__device__ __forceinline__ bool round_sample(const real &number, double bound, char *address,
                                             enum sample_type type)
{
    const double rest = WIDE ? number.rest : 0;

#define STORE(NAME, TYPE)                                                                          \
    return round_##NAME(number.value, rest, bound, reinterpret_cast<TYPE *>(address));

    switch (type) {
#define CASE(SAMPLE, NAME, TYPE, LEAST, MOST)                                                      \
    case SAMPLE:                                                                                   \
        return round_##NAME(number.value, rest, bound, reinterpret_cast<TYPE *>(address));
        SMALL_INTEGERS(CASE)
#undef CASE
    case SAMPLE_F16:
        STORE(f16, uint16_t)
    case SAMPLE_F32:
        STORE(f32, float)
    default:
        break;
    }
    if constexpr (WIDE)
        switch (type) {
        case SAMPLE_I64:
            STORE(i64, int64_t)
        case SAMPLE_U64:
            STORE(u64, uint64_t)
        default:
            STORE(f64, double)
        }
    return true;
#undef STORE
}

__device__ __forceinline__ void store_bits(char *address, int bytes, uint64_t bits)
{
    if (bytes == 1)
        *reinterpret_cast<uint8_t *>(address) = (uint8_t)bits;
    else if (bytes == 2)
        *reinterpret_cast<uint16_t *>(address) = (uint16_t)bits;
    else if (bytes == 4)
        *reinterpret_cast<uint32_t *>(address) = (uint32_t)bits;
    else
        *reinterpret_cast<uint64_t *>(address) = bits;
}

/* The greatest error of sums, whatever they are. */
__device__ __forceinline__ double bound_of(const device_bound &bound, device_peak peak)
{
    return (peak & ~NOT_PLAIN) == 0 ? 0 : bound.per_peak * peak_value(peak) + bound.tiny;
}

/* Rounds a sum, whose error is below `error` and not relatively small, into a sample. Returns
 * whether it may be wrong. */
template <bool WIDE>
__device__ __forceinline__ bool store_result(const plane_pass &pass, const real &number,
                                             double error, device_peak peak, char *address,
                                             enum sample_type type)
{
    const bool plain = !(peak & NOT_PLAIN);

    if (!isfinite(number.value) && pass.bound.special_is_sure && peak_value(peak) <= MOST_PLAIN) {
        store_bits(address, pass.to_format.bytes,
                   exact_special(exact_kind_of(number.value), &pass.to_format));
        return false;
    }
    if (plain && error > 0)
        error = fmin(error, pass.bound.relative * fabs(number.value) + pass.bound.tiny);
    return round_sample<WIDE>(number, error, address, type);
}

/* The quick way, for sums in one double: rounds both ends of the interval. Returns false if that
 * does not tell. */
__device__ __forceinline__ bool round_ends(double value, double error, float *sample)
{
    const float low = (float)(value - error), high = (float)(value + error);

    *sample = low;
    return low == high && fabsf(low) > 0 && fabsf(low) < INFINITY;
}

template <class T> __device__ __forceinline__ bool round_ends(double value, double error, T *sample)
{
    const int most = (1 << 8 * sizeof(T)) - 1;
    const double half = value + 0.5;
    const int low = __double2int_rd(half - error), high = __double2int_rd(half + error);

    *sample = (T)min(max(low, 0), most);
    return low == high && fabs(value) < 0x1p30;
}

#endif
