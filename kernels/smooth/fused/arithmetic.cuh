/* SPDX-License-Identifier: MIT */
/* The number formats of the kernel fused_window, and why its results are exact.
 *
 * The kernel sums down the columns, then along the rows, in numbers that are fast on a GPU. It
 * estimates the exact value v of an output sample, shifts the estimate so that its integer part and
 * its fraction lie at fixed bit positions, and rounds by truncation (as fused_int8 does, in other
 * formats):
 *
 *     t = v + 1/2 + bound + error,   |error| <= bound
 *
 * The integer part of t is the sample, unless the fraction is below 2 * bound: then v + 1/2 may lie
 * on either side of an integer. Such a sample is unresolved, and fused/repair.cuh computes it
 * exactly, as the definition (smooth/reference.c) does. (This is Ziv's rounding test: see de
 * Dinechin, Lauter, Muller, Torres, ACM TOMS 39(4), 2013.) The bound is computed from the weights
 * in use.
 *
 * Rows at the same distance from an output share a weight, so their samples are added as integers
 * before they are multiplied. GPUs convert between integers and floating-point numbers at an eighth
 * of the rate of additions, so no instruction converts: an integer is placed in the mantissa of a
 * double with a known exponent. That double exceeds the integer by a constant, the offset. The
 * addition of 1/2 + bound also subtracts the offset.
 *
 * A form is a class that defines these number formats: form_bytes for samples of 8 bits, form_words
 * for samples of 16 bits. */
#ifndef SMOOTHIMG_FUSED_ARITHMETIC_CUH
#define SMOOTHIMG_FUSED_ARITHMETIC_CUH

#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

#include <math.h>

/* A filter as a kernel argument. N: the largest halo, plus one. Both arrays hold weights by their
 * distance from the centre, from 0 on. */
template <class Form, int N> struct fused_filter {
    typename Form::column_weight columns[N];
    double rows[N];
    double offset; /* 2^20 + 1/2 + bound, minus the weighted offsets of integers that are placed in
                      doubles */
    uint32_t unresolved; /* a sample whose fraction() is below this is unresolved */
};

/* Totals in doubles. A total is t + 2^20, where t is the shifted estimate that is truncated (head
 * of this file). So bits 19..0 of the double's upper half are the integer part of t, and the lower
 * half is the fraction. */
struct totals_in_doubles {
    static __device__ __forceinline__ uint32_t fraction(double t)
    {
        return (uint32_t)__double2loint(t);
    }

    static __device__ __forceinline__ uint32_t whole(double t)
    {
        return (uint32_t)__double2hiint(t) & 0xfffff;
    }

    /* Packs the integer parts of two neighbouring results. bytes: the selector for
     * __byte_perm(). */
    static __device__ __forceinline__ uint32_t pack_two(const double *t, uint32_t bytes)
    {
        return __byte_perm((uint32_t)__double2hiint(t[0]), (uint32_t)__double2hiint(t[1]), bytes);
    }
};

/* The formats for samples of 8 bits. A sum down a column has 31 bits, so two sums can be added in
 * 32 bits before they are multiplied. The unit of such a sum is 1/scale grey levels (struct
 * column_sums in fused/filter.cuh). A word of four samples is unpacked into two words, called
 * parts: one holds the even samples, the other the odd ones, each in 16 bits. So one addition of
 * parts adds two pairs of samples. A sum S becomes the double 2^52 + S without a conversion: its
 * upper half is a constant, its lower half is S. */
struct form_bytes : totals_in_doubles {
    typedef uint8_t sample;
    typedef uint32_t column_weight;
    typedef uint32_t sum;

    static __device__ __forceinline__ void unpack(uint32_t *parts, uint32_t word)
    {
        parts[0] = word & 0x00ff00ff;
        parts[1] = __byte_perm(word, 0, 0x4341);
    }

    static __device__ __forceinline__ void add_column(uint32_t &sum, uint32_t weight,
                                                      const uint32_t *parts, int i)
    {
        const uint32_t part = parts[i / 4 * 2 + i % 2];

        sum += weight * (i & 2 ? part >> 16 : part & 0xffff);
    }

    static __device__ __forceinline__ void add_row(double &total, double weight, uint32_t sum)
    {
        total = fma(weight, __hiloint2double(0x43300000, (int)sum), total);
    }

    /* Packs four results into an output word. */
    static __device__ __forceinline__ uint32_t pack(const double *results)
    {
        return __byte_perm(pack_two(results, 0x0040), pack_two(results + 2, 0x0040), 0x5410);
    }

    static __device__ __forceinline__ void add_rows(double &total, double weight, uint32_t left,
                                                    uint32_t right)
    {
        add_row(total, weight, left + right);
    }
};

/* The formats for samples of 16 bits. All sums are doubles. Each sample is unpacked into a word of
 * its own, which is called a part. A sample x, or the sum of two, becomes the double 2^20 + x: its
 * upper half is 0x41300000 + x, its lower half 0. A double holds a 46-bit weight exactly, so hardly
 * any sample is unresolved. */
struct form_words : totals_in_doubles {
    typedef uint16_t sample;
    typedef double column_weight;
    typedef double sum;

    static __device__ __forceinline__ void unpack(uint32_t *parts, uint32_t word)
    {
        parts[0] = word & 0xffff;
        parts[1] = word >> 16;
    }

    static __device__ __forceinline__ void add_column(double &sum, double weight,
                                                      const uint32_t *parts, int i)
    {
        sum = fma(weight, __hiloint2double((int)(parts[i] + 0x41300000u), 0), sum);
    }

    static __device__ __forceinline__ void add_row(double &total, double weight, double sum)
    {
        total = fma(weight, sum, total);
    }

    static __device__ __forceinline__ uint32_t pack(const double *results)
    {
        return pack_two(results, 0x5410);
    }

    static __device__ __forceinline__ void add_rows(double &total, double weight, double left,
                                                    double right)
    {
        add_row(total, weight, left);
        add_row(total, weight, right);
    }
};

#endif
