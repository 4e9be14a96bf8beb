/* SPDX-License-Identifier: MIT */
/* Where a pass' sums go: to scratch, to the other terms, or, rounded, into samples of any type. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH

#include "kernels/smooth/arrays/device/load.cuh"
#include "kernels/smooth/arrays/exact.h"

__device__ __forceinline__ void put_number(const device_reals &to, int64_t index,
                                           const real &number)
{
    to.value[index] = number.value;
    if (to.rest)
        to.rest[index] = number.rest;
    if (to.magnitude)
        to.magnitude[index] = number.magnitude;
}

__device__ __forceinline__ real get_number(const device_reals &from, int64_t index)
{
    return {from.value[index], from.rest ? from.rest[index] : 0,
            from.magnitude ? from.magnitude[index] : 0};
}

/* Rounds into a sample; returns whether it may be wrong. */
template <bool WIDE>
__device__ __forceinline__ bool store_sample(const real &number, double bound, char *address,
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

__device__ __forceinline__ double bound_of(const device_pass &pass, double magnitude)
{
    return pass.magnitudes && magnitude == 0
               ? 0
               : fma(magnitude, pass.bound.relative, pass.bound.absolute);
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

__device__ __forceinline__ void mark_open(const device_pass &pass, int64_t index)
{
    index += pass.first_sample;
    atomicOr(&pass.open[index / 32], 1u << (index % 32));
    atomicAdd(pass.any_open, 1ull);
}

/* Gives the sum at that index, and at that address if it is the last pass'. plain: it is its own
 * magnitude. */
template <bool WIDE>
__device__ __forceinline__ void give_number(const device_pass &pass, real number, bool plain,
                                            unsigned kinds, int64_t index, char *address)
{
    bool open;

    if (plain)
        number.magnitude = number.value;
    if (!pass.is_last) {
        pass.out.value[index] = number.value;
        if (WIDE)
            pass.out.rest[index] = number.rest;
        if (!plain && pass.out.magnitude)
            pass.out.magnitude[index] = number.magnitude;
        return;
    }
    if (pass.combines) {
        const real none = {0, 0, 0};

        number = combine_add(pass.is_first_term ? none : get_number(pass.total, index), number,
                             pass.squares, WIDE);
        if (!pass.is_last_term) {
            put_number(pass.total, index, number);
            return;
        }
        if (pass.squares)
            number = combine_root(number, WIDE);
    }
    if (pass.special_is_sure && !isfinite(number.value) && !(kinds & KIND_HUGE)) {
        store_bits(address, pass.to.bytes, exact_special(exact_kind_of(number.value), &pass.to));
        return;
    }
    open = store_sample<WIDE>(number, bound_of(pass, number.magnitude), address, pass.dst.type);
    if (open || pass.exact_only)
        mark_open(pass, index);
}

#endif
