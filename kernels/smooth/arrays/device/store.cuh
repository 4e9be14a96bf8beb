/* SPDX-License-Identifier: MIT */
/* Rounds sums to samples of any type, and finds the samples whose rounding the error bound does not
 * prove.
 *
 * A sample is plain if it is 0 or from 2^-600 to 2^600 (bounds.h). If all samples that a result
 * depends on are plain, its error bound may be relative to the result. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_STORE_CUH

#include "kernels/smooth/arrays/device/load.cuh"
#include "kernels/smooth/arrays/exact.h"

/* Rounds a number to a sample and stores the sample at `address`. If WIDE, first makes the number's
 * rest (its lower double) small beside its value. Returns whether the sample may be wrong. Samples
 * of 8 bytes need WIDE: without it, stores nothing and returns true for them. */
template <bool WIDE>
__device__ __forceinline__ bool round_sample(const real &number, double bound, char *address,
                                             enum sample_type type)
{
    double rest = 0;
    const double value = WIDE ? sum_of(number.value, number.rest, &rest) : number.value;

#define CASE(SAMPLE, NAME, TYPE, LEAST, MOST)                                                      \
    case SAMPLE:                                                                                   \
        return round_##NAME(value, rest, bound, reinterpret_cast<TYPE *>(address));

    switch (type) {
        SMALL_INTEGERS(CASE)
        CASE(SAMPLE_F16, f16, uint16_t, , )
        CASE(SAMPLE_F32, f32, float, , )
    default:
        break;
    }
    if constexpr (WIDE)
        switch (type) {
            CASE(SAMPLE_I64, i64, int64_t, , )
            CASE(SAMPLE_U64, u64, uint64_t, , )
        default:
            return round_f64(value, rest, bound, reinterpret_cast<double *>(address));
        }
    return true;
#undef CASE
}

/* Error bounds of a thread's results. */
struct device_error {
    device_peak peak; /* the peak of the samples that were summed */
    double most;      /* an absolute bound */
    double relative;  /* a bound relative to the result, valid if all samples are plain */
};

/* Rounds a result to a sample and stores it at `address`. Returns whether the sample may be
 * wrong. */
template <bool WIDE>
__device__ __forceinline__ bool store_result(const plane_pass &pass, const real &number,
                                             const device_error &bound, char *address,
                                             enum sample_type type)
{
    const bool plain = !(bound.peak & NOT_PLAIN);
    double error = bound.most;

    if (!isfinite(number.value) && pass.bound.special_is_sure &&
        peak_value(bound.peak) <= MOST_PLAIN) {
        exact_put_bits(address, pass.to_format.bytes,
                       exact_special(exact_kind_of(number.value), &pass.to_format));
        return false;
    }
    if (plain && error > 0)
        error = fmin(error, bound.relative * fabs(number.value) + pass.bound.tiny);
    return round_sample<WIDE>(number, error, address, type);
}

#define SIGN_BIT 0x80000000u
#define INFINITE_BITS 0x7f800000u

/* Returns the greatest integer that is not above `number`, whose magnitude is below 2^31. The
 * double 3 * 2^51 + number, rounded down, has that integer in its lower 32 bits. This takes one
 * addition; on an H200 a conversion takes four times as long. */
__device__ __forceinline__ int floor_of(double number)
{
    return __double2loint(__dadd_rd(number, 0x1.8p52));
}

/* Rounds sums to samples of type T the fast way. round() computes both ends of a sum's interval,
 * sum - error and sum + error, rounded outwards; it rounds each end to a sample, and returns the
 * sample of the lower end. If are_known() returns true, both ends gave the same sample in all calls
 * of round() so far. If T is double, a sum is held in two doubles, otherwise in one. */
template <class T> struct quick_ends {
    unsigned different = 0;
    bool beyond; /* a sum or the error is too great for floor_of() */

    __device__ __forceinline__ explicit quick_ends(double error) : beyond(!(error < 0x1p30)) {}

    __device__ __forceinline__ T round(const real &sum, double error)
    {
        const double value = sum.value;
        const int low = floor_of(__dadd_rd(value, __dadd_rd(0.5, -error)));
        const int high = floor_of(__dadd_ru(value, __dadd_ru(0.5, error)));

        different |= (unsigned)(low ^ high);
        beyond = beyond || !(fabs(value) < 0x1p30);
        return (T)min(max(low, 0), (1 << 8 * sizeof(T)) - 1);
    }

    __device__ __forceinline__ bool are_known() const
    {
        return different == 0 && !beyond;
    }
};

template <> struct quick_ends<float> {
    unsigned different = 0, least = ~0u, most = 0; /* least, most: magnitudes, as bits */

    __device__ __forceinline__ explicit quick_ends(double) {}

    __device__ __forceinline__ float round(const real &sum, double error)
    {
        const float low = (float)__dadd_rd(sum.value, -error);
        const float high = (float)__dadd_ru(sum.value, error);
        const unsigned magnitude = __float_as_uint(low) & ~SIGN_BIT;

        different |= __float_as_uint(low) ^ __float_as_uint(high);
        least = min(least, magnitude);
        most = max(most, magnitude);
        return low;
    }

    /* Returns false also if a sum rounds to 0, or is infinite or NaN: round_slowly() rounds these
     * sums, and finds the sign of a 0. */
    __device__ __forceinline__ bool are_known() const
    {
        return different == 0 && least > 0 && most < INFINITE_BITS;
    }
};

template <> struct quick_ends<double> {
    bool known = true;

    __device__ __forceinline__ explicit quick_ends(double) {}

    __device__ __forceinline__ double round(const real &sum, double error)
    {
        double rest;
        const double whole = sum_of(sum.value, sum.rest, &rest);
        const double low = whole + __dadd_rd(rest, -error), high = whole + __dadd_ru(rest, error);

        known = known && low == high && low != 0 && fabs(low) < INFINITY;
        return low;
    }

    __device__ __forceinline__ bool are_known() const
    {
        return known;
    }
};

#endif
