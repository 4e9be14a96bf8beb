/* SPDX-License-Identifier: MIT */
/* Sums along an axis: a thread makes R results that lie side by side along it, and reads each
 * number once for all of them. */
#ifndef SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH
#define SMOOTHIMG_ARRAYS_DEVICE_SUMS_CUH

#include "kernels/smooth/arrays/combine.h"
#include "kernels/smooth/arrays/round.h"

/* 2 halo + 1 taps. For sum_with_zeros() they lie between zeros: R - 1 of them before the first tap,
 * and after the last one as many as make sums_reads(). */
struct device_taps {
    const double *taps, *rests; /* of the first tap */
    int last;                   /* 2 halo */
};

/* How many numbers R sums read: all that have a tap in one of them, and some more, so that loops
 * take R at a time. */
HOST_DEVICE int sums_reads(int halo, int sums)
{
    return (2 * halo + sums + sums - 1) / sums * sums;
}

/* R sums, in one double each or in two. */
template <bool WIDE, int R> struct device_sums {
    double value[R], rest[R];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int r = 0; r < R; r++)
            value[r] = rest[r] = 0;
    }

    /* Sum number r += (tap + tap_rest) number; rounding is bounds.h's. */
    __device__ __forceinline__ void add(int r, double tap, double tap_rest, const real &number)
    {
        if constexpr (WIDE) {
            const double product = __dmul_rn(tap, number.value);
            const double lower = fma(tap, number.rest,
                                     fma(tap_rest, number.value, fma(tap, number.value, -product)));
            double lost;

            value[r] = sum_of(value[r], product, &lost);
            rest[r] += lost + lower;
        } else
            value[r] = fma(tap, number.value, value[r]);
    }

    __device__ __forceinline__ bool has_nan() const
    {
        bool found = false;

#pragma unroll
        for (int r = 0; r < R; r++)
            found |= value[r] != value[r];
        return found;
    }
};

/* The sums of numbers read(0), read(1), ..., the first of which is that of the first sum's first
 * tap. Taps move on from sum to sum with the numbers; as the loop is unrolled, only in name. Zeros
 * beside the taps spare the question which sums a number counts in; but they make NaN of NaN.
 * SIZES: with the taps' magnitudes. */
template <bool SIZES, bool WIDE, int R, class Read>
__device__ __forceinline__ void sum_with_zeros(device_sums<WIDE, R> &sums, const device_taps &taps,
                                               Read read)
{
    double tap[R] = {}, rest[R] = {};

    sums.clear();
    for (int first = 0; first < taps.last + R; first += R)
#pragma unroll
        for (int i = 0; i < R; i++) {
            const real number = read(first + i);
            const double next = taps.taps[first + i];

#pragma unroll
            for (int r = R - 1; r > 0; r--) {
                tap[r] = tap[r - 1];
                rest[r] = rest[r - 1];
            }
            tap[0] = SIZES ? fabs(next) : next;
            rest[0] = WIDE ? taps.rests[first + i] : 0;
#pragma unroll
            for (int r = 0; r < R; r++)
                sums.add(r, tap[r], rest[r], number);
        }
}

/* The same, where each number counts only in the sums that have a tap for it. */
template <bool SIZES, bool WIDE, int R, class Read>
__device__ __forceinline__ void sum_without_zeros(device_sums<WIDE, R> &sums,
                                                  const device_taps &taps, Read read)
{
    sums.clear();
#pragma unroll 1
    for (int at = 0; at < taps.last + R; at++) {
        const real number = read(at);

#pragma unroll
        for (int r = 0; r < R; r++)
            if (at - r >= 0 && at - r <= taps.last)
                sums.add(r, SIZES ? fabs(taps.taps[at - r]) : taps.taps[at - r],
                         WIDE ? taps.rests[at - r] : 0, number);
    }
}

/* The same, the quick way unless a NaN is near. */
template <bool SIZES, bool WIDE, int R, class Read>
__device__ __forceinline__ void sum_numbers(device_sums<WIDE, R> &sums, const device_taps &taps,
                                            Read read)
{
    sum_with_zeros<SIZES>(sums, taps, read);
    if (sums.has_nan())
        sum_without_zeros<SIZES>(sums, taps, read);
}

#endif
