/* SPDX-License-Identifier: MIT */
/* Loaders convert samples of any type, or values in scratch memory, to struct real (combine.h),
 * which holds a value as two doubles. struct device_measure measures peaks, which are bounds on the
 * magnitudes of samples (pass.h).
 *
 * Other terms: a line is the values along an axis; a plane is a buffer of doubles; the rest is the
 * lower one of two doubles. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_LOAD_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_LOAD_CUH

#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/device/pass.h"
#include "kernels/smooth/arrays/round.h"

#include <type_traits>

/* FROM, a template argument, says what a kernel reads: an enum sample_type, or one of these.
 * ANY_TYPE: samples whose type is an argument at run time. SCRATCH: doubles in scratch memory. */
#define ANY_TYPE 0x40
#define SCRATCH 0x41

/* A flag of FROM: each sample has a weight. */
#define WEIGHED 0x100
template <int FROM> constexpr bool IS_WEIGHED = (FROM & WEIGHED) != 0;
template <int FROM> constexpr int TYPE_OF = FROM & ~WEIGHED;
template <int FROM> constexpr bool IS_SCRATCH = TYPE_OF<FROM> == SCRATCH;

/* True if a pass in single doubles measures the peak of the samples that it reads. A pass in two
 * doubles measures all samples before it sums. The peak of unsigned 8-bit and 16-bit integers
 * follows from the type. Values in scratch need no measuring: the passes that stored them have
 * measured the samples. */
template <int FROM>
constexpr bool MEASURES =
    !IS_SCRATCH<FROM> && TYPE_OF<FROM> != SAMPLE_U8 && TYPE_OF<FROM> != SAMPLE_U16;

/* Returns a / b; neither is negative. A GPU divides 64-bit integers slowly, so 32 bits are divided
 * where they suffice. */
__device__ __forceinline__ int64_t quotient(int64_t a, int64_t b)
{
    return (uint64_t)(a | b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}

__device__ __forceinline__ real real_of(double value)
{
    return {value, 0, 0};
}

__device__ __forceinline__ real real_of(uint32_t integer)
{
    return {double_of(integer), 0, 0};
}

/* Converts a 64-bit integer, given as two halves; the upper half has the sign. The result, value +
 * rest, is exact. */
__device__ __forceinline__ real real_of_halves(double upper, uint32_t lower)
{
    const double value = upper * 0x1p32 + lower;

    return {value, lower - (value - upper * 0x1p32), 0};
}

/* Loads a sample as a struct real. TYPE is its type; if TYPE is ANY_TYPE, `type` is its type. */
template <int TYPE>
__device__ __forceinline__ real load_sample(const char *address, enum sample_type type)
{
    switch (TYPE == ANY_TYPE ? (int)type : TYPE) {
    case SAMPLE_BOOL:
        return real_of((uint32_t)(*address != 0));
    case SAMPLE_I8:
        return real_of((double)*reinterpret_cast<const int8_t *>(address));
    case SAMPLE_U8:
        return real_of((uint32_t) * reinterpret_cast<const uint8_t *>(address));
    case SAMPLE_I16:
        return real_of((double)*reinterpret_cast<const int16_t *>(address));
    case SAMPLE_U16:
        return real_of((uint32_t) * reinterpret_cast<const uint16_t *>(address));
    case SAMPLE_I32:
        return real_of((double)*reinterpret_cast<const int32_t *>(address));
    case SAMPLE_U32:
        return real_of(*reinterpret_cast<const uint32_t *>(address));
    case SAMPLE_F16:
        return real_of(of_half(*reinterpret_cast<const uint16_t *>(address)));
    case SAMPLE_F32:
        return real_of(*reinterpret_cast<const float *>(address));
    case SAMPLE_F64:
        return real_of(*reinterpret_cast<const double *>(address));
    default: {
        const uint64_t sample = *reinterpret_cast<const uint64_t *>(address);
        const uint32_t upper = (uint32_t)(sample >> 32);
        const bool is_signed = TYPE == SAMPLE_I64 || (TYPE == ANY_TYPE && type == SAMPLE_I64);

        return real_of_halves(is_signed ? (double)(int32_t)upper : (double)upper, (uint32_t)sample);
    }
    }
}

/* The values along one axis that a thread reads: one for each position. */
struct device_line {
    const char *base; /* address of the value at position 0, or of the sample from which the value
                         is made */
    bool is_weight;   /* the values are weights */
    bool drops;       /* a NaN has the weight 0, any other sample 1 */
    int64_t to_alpha; /* bytes from a sample to its alpha */
};

/* Returns whether the value with this index in a pixel is the weight of the others in its group. */
__device__ __forceinline__ bool is_weight(const device_pixel &pixel, int number)
{
    return pixel.group > 0 && number % pixel.group == pixel.group - 1;
}

/* Returns the line of the values that have index `number` in their pixels. base: address of the
 * pixel at position 0. from_sample: bytes from a sample of a pixel to the next. */
template <int FROM>
__device__ __forceinline__ device_line line_of_number(const device_pixel &pixel, int number,
                                                      const char *base, int64_t from_sample)
{
    const bool weighs = is_weight(pixel, number);

    if constexpr (IS_SCRATCH<FROM>)
        return {base + number * (int64_t)sizeof(double), weighs, false, 0};
    if constexpr (!IS_WEIGHED<FROM>)
        return {base + number * from_sample, false, false, 0};
    if (pixel.drops)
        return {base + number / 2 * from_sample, weighs, true, 0};
    return {base + number * from_sample, weighs, false, (pixel.numbers - 1 - number) * from_sample};
}

/* Returns the product of a and b, each of which is held in two doubles. */
__device__ __forceinline__ real times(const real &a, const real &b)
{
    const double product = __dmul_rn(a.value, b.value);

    return {product, fma(a.value, b.rest, fma(a.rest, b.value, fma(a.value, b.value, -product))),
            a.magnitude * b.magnitude};
}

/* A sample and its alpha as they were loaded. Both are converted later, so that several loads can
 * be in flight at the same time. */
template <class T> struct device_raw {
    T sample, alpha;
};

template <int TYPE>
__device__ __forceinline__ auto load_typed(const char *address, enum sample_type type)
{
    if constexpr (TYPE == SAMPLE_U8)
        return (uint32_t) * reinterpret_cast<const uint8_t *>(address);
    else if constexpr (TYPE == SAMPLE_U16)
        return (uint32_t) * reinterpret_cast<const uint16_t *>(address);
    else if constexpr (TYPE == SAMPLE_F32)
        return *reinterpret_cast<const float *>(address);
    else
        return load_sample<TYPE>(address, type);
}

template <int FROM, bool WIDE>
__device__ __forceinline__ auto load_raw(const device_numbers &from, const device_line &line,
                                         const char *address)
{
    if constexpr (IS_SCRATCH<FROM> && WIDE)
        return real{*reinterpret_cast<const double *>(address),
                    *reinterpret_cast<const double *>(address + from.rest_bytes), 0};
    else if constexpr (IS_SCRATCH<FROM>)
        return *reinterpret_cast<const double *>(address);
    else if constexpr (IS_WEIGHED<FROM>)
        return device_raw{load_typed<TYPE_OF<FROM>>(address, from.type),
                          load_typed<TYPE_OF<FROM>>(address + line.to_alpha, from.type)};
    else
        return load_typed<FROM>(address, from.type);
}

__device__ __forceinline__ real real_of(const real &number)
{
    return number;
}

template <bool WIDE, class T>
__device__ __forceinline__ real number_of_raw(const device_line &, const T &raw)
{
    return real_of(raw);
}

/* Returns the sample times its weight, or, in a line of weights, only the weight. The code selects
 * values instead of branching, so that the lanes of a warp do not diverge. */
template <bool WIDE, class T>
__device__ __forceinline__ real number_of_raw(const device_line &line, const device_raw<T> &raw)
{
    /* Samples that are loaded as integers have at most 16 bits: their products fit 32 bits, and no
     * sample is a NaN. */
    if constexpr (std::is_integral_v<T>) {
        const uint32_t sample = line.drops && line.is_weight ? 1u : raw.sample;

        return real_of(sample * (line.drops || line.is_weight ? 1u : raw.alpha));
    } else {
        const real sample = real_of(raw.sample), alpha = real_of(raw.alpha);
        const bool counts = !(sample.value != sample.value);
        const real product = WIDE ? times(sample, alpha) : real_of(sample.value * alpha.value);
        const bool stays = line.drops ? counts : line.is_weight;
        real number = stays ? sample : product;

        if (line.drops ? !counts : !line.is_weight && alpha.value == 0)
            number = real_of(0.);
        return line.drops && line.is_weight ? real_of((double)counts) : number;
    }
}

/* --- Peaks: bounds on the magnitudes of samples (device_peak). */

#define INFINITE_PEAK 0x7ff00000u

/* Packs into 32 bits the greatest magnitude of some samples, rounded up, and whether every one of
 * them is plain (0, or from 2^-600 to 2^600). */
HOST_DEVICE device_peak peak_from(double most, bool plain)
{
    const device_peak flag = plain ? 0 : NOT_PLAIN;
    uint64_t bits;

    memcpy(&bits, &most, sizeof bits);
    if (!(most < INFINITY))
        return INFINITE_PEAK | flag;
    return (most > 0 ? (device_peak)(bits >> 32) + 1 : 0) | flag;
}

__device__ __forceinline__ double peak_value(device_peak peak)
{
    return __hiloint2double((int)(peak & ~NOT_PLAIN), 0);
}

__device__ __forceinline__ device_peak join_peaks(device_peak a, device_peak b)
{
    return max(a & ~NOT_PLAIN, b & ~NOT_PLAIN) | ((a | b) & NOT_PLAIN);
}

/* Measures the peak of the samples that a thread reads, in float where that is exact. NaN are
 * ignored, and leave_out_infinities() removes infinities: sums that include them are not finite,
 * and the peak of the finite samples bounds the errors of all other sums. */
template <int FROM> struct device_measure {
    using own = std::conditional_t<FROM == SAMPLE_F32, float, double>;

    own most = 0, least = 0; /* least: the least sample, only measured for floats */
    bool tiny = false;       /* a sample was not plain (real_is_plain()); false if own is float */

    __device__ __forceinline__ void add(double value)
    {
        const own sample = (own)value;

        if constexpr (FROM == SAMPLE_F32) { /* floats that are not negative are plain */
            most = fmaxf(most, fabsf(sample));
            least = fminf(least, sample);
        } else {
            most = fmax(most, fabs(sample));
            tiny = tiny || !real_is_plain(value);
        }
    }

    /* If an infinity was read, measures read(first) .. read(end - 1) again without infinities. */
    template <class Read>
    __device__ __forceinline__ void leave_out_infinities(int first, int end, Read read)
    {
        if (most < INFINITY)
            return;
        most = 0;
#pragma unroll 1
        for (int i = first; i < end; i++) {
            const own size = (own)fabs(read(i));

            most = size < INFINITY && size > most ? size : most;
        }
    }

    __device__ __forceinline__ void join(const device_measure &other)
    {
        most = other.most > most ? other.most : most;
        least = other.least < least ? other.least : least;
        tiny = tiny || other.tiny;
    }

    __device__ __forceinline__ device_peak peak() const
    {
        return peak_from(most, least >= 0 && !tiny);
    }
};

/* Returns the peak (a bound on magnitudes) of the samples from which `count` adjacent values of a
 * plane were computed, from index `first` on. */
__device__ __forceinline__ device_peak peak_of_numbers(const device_peak *peaks, int64_t first,
                                                       int64_t count)
{
    device_peak peak = 0;

    for (int64_t i = first / STRIP; i <= (first + count - 1) / STRIP; i++)
        peak = join_peaks(peak, peaks[i]);
    return peak;
}

#endif
