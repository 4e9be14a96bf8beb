/* SPDX-License-Identifier: MIT */
/* Loaders: samples of any type, or numbers in scratch, as real numbers. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_LOAD_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_LOAD_CUH

#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/device/pass.h"
#include "kernels/smooth/arrays/round.h"

/* In the place of a type: the kernel asks which; or it reads numbers in scratch. */
#define ANY_TYPE (-1)
#define SCRATCH (-2)

__device__ __forceinline__ real real_of(double value)
{
    return {value, 0, 0};
}

/* 64 bits in two halves, the upper one with the sign: both are exact, and so is their sum. */
__device__ __forceinline__ real real_of_halves(double upper, uint32_t lower)
{
    const double value = upper * 0x1p32 + lower;

    return {value, lower - (value - upper * 0x1p32), 0};
}

/* TYPE: of the samples, or ANY_TYPE, which `type` tells. */
template <int TYPE>
__device__ __forceinline__ real load_sample(const char *address, enum sample_type type)
{
    switch (TYPE == ANY_TYPE ? (int)type : TYPE) {
    case SAMPLE_BOOL:
        return real_of(*address != 0);
    case SAMPLE_I8:
        return real_of(*reinterpret_cast<const int8_t *>(address));
    case SAMPLE_U8:
        return real_of(*reinterpret_cast<const uint8_t *>(address));
    case SAMPLE_I16:
        return real_of(*reinterpret_cast<const int16_t *>(address));
    case SAMPLE_U16:
        return real_of(*reinterpret_cast<const uint16_t *>(address));
    case SAMPLE_I32:
        return real_of(*reinterpret_cast<const int32_t *>(address));
    case SAMPLE_U32:
        return real_of(*reinterpret_cast<const uint32_t *>(address));
    case SAMPLE_F16:
        return real_of(of_half(*reinterpret_cast<const uint16_t *>(address)));
    case SAMPLE_F32:
        return real_of(*reinterpret_cast<const float *>(address));
    case SAMPLE_F64:
        return real_of(*reinterpret_cast<const double *>(address));
    case SAMPLE_I64: {
        const int64_t sample = *reinterpret_cast<const int64_t *>(address);

        return real_of_halves((double)(sample >> 32), (uint32_t)sample);
    }
    default: {
        const uint64_t sample = *reinterpret_cast<const uint64_t *>(address);

        return real_of_halves((double)(sample >> 32), (uint32_t)sample);
    }
    }
}

/* The numbers that a thread reads along the pass' axis. */
template <int TYPE, bool WIDE> struct device_line {
    const device_pass &pass;
    const char *samples; /* of the source: the first place along the axis */
    int64_t index;       /* in scratch */

    /* The same from that place on. */
    __device__ __forceinline__ device_line moved(int64_t places) const
    {
        return {pass, samples + (TYPE == SCRATCH ? 0 : places * pass.src.stride[pass.axis]),
                index + places * pass.inner};
    }

    /* A number; or its magnitude. from: the place along the axis; -1: outside. plain: of plain
     * numbers. */
    template <bool MAGNITUDE> __device__ __forceinline__ real read(int64_t from, bool plain) const
    {
        if (from < 0) {
            const real number = pass.outside ? *pass.outside : real{0, 0, 0};

            return MAGNITUDE ? real{number.magnitude, 0, 0} : number;
        }
        if constexpr (TYPE == SCRATCH)
            return in_scratch<MAGNITUDE>(index + from * pass.inner, plain);
        else
            return sample<MAGNITUDE>(samples + from * pass.src.stride[pass.axis]);
    }

    /* Number i after the first of those that lie one after the other in scratch, or along the axis
     * in the source. */
    template <bool MAGNITUDE> __device__ __forceinline__ real read_after(int i, bool plain) const
    {
        if constexpr (TYPE == SCRATCH)
            return in_scratch<MAGNITUDE>(index + i, plain);
        else
            return sample<MAGNITUDE>(samples + i * pass.src.stride[pass.axis]);
    }

    template <bool MAGNITUDE>
    __device__ __forceinline__ real in_scratch(int64_t at, bool plain) const
    {
        if (MAGNITUDE)
            return {plain ? pass.in.value[at] : pass.in.magnitude[at], 0, 0};
        return {pass.in.value[at], WIDE ? pass.in.rest[at] : 0, 0};
    }

    template <bool MAGNITUDE> __device__ __forceinline__ real sample(const char *address) const
    {
        const real number = load_sample<TYPE>(address, pass.src.type);

        return MAGNITUDE ? real{real_magnitude(number.value), 0, 0} : number;
    }
};

#endif
