/* SPDX-License-Identifier: MIT */
/* What the fused kernels compute in, and why the result is right all the same.
 *
 * They sum along one axis, then along the other, in numbers that a GPU is quick with. Either way
 * they estimate the exact value v of an output sample, bring it to where the bits of the whole
 * number and those of the fraction have fixed places, and round by cutting:
 *
 *     t = v + 1/2 + bound + error,   |error| <= bound
 *
 * so that the whole part of t is the sample, unless the fraction is below 2 * bound: then v + 1/2
 * may lie on either side of a whole number, the sample is unresolved, and fused/repair.cuh computes
 * it by the definition. (On Ziv's rounding test: de Dinechin, Lauter, Muller, Torres, ACM TOMS
 * 39(4), 2013.) The bound is computed from the weights in use.
 *
 * Rows at the same distance from an output share a weight: their samples are added as integers
 * before they are multiplied. No instruction converts between integers and reals, which GPUs do at
 * an eighth of the rate of an addition: an integer is laid into the mantissa of a double of known
 * exponent instead, and the offset that it has there is subtracted with the half that rounding
 * adds.
 *
 * A form says which numbers: form_bytes and form_words take doubles where the GPU is quick with
 * them, their _integers take 64-bit integers elsewhere. */
#ifndef SMOOTHIMG_FUSED_ARITHMETIC_CUH
#define SMOOTHIMG_FUSED_ARITHMETIC_CUH

#include "kernels/common/exact.h"
#include "kernels/common/launch.cuh"

#include <math.h>

/* A filter as a kernel's argument. N: the largest halo, plus one; weights from the centre outwards.
 */
template <class Form, int N> struct fused_filter {
    typename Form::column_weight columns[N];
    typename Form::row_weight rows[N];
    typename Form::product half; /* of a unit of a column's sum, before `shift` */
    typename Form::total offset; /* 1/2 + bound, less what integers' places in doubles come to */
    int shift;           /* a column's sum is that of the products, shifted by this many bits */
    uint32_t unresolved; /* a fraction() below this is unresolved */
    uint32_t maxval;     /* where weights sum to more than one, results are clamped to it */
    int halo;

    __device__ __forceinline__ int halo_x() const
    {
        return halo;
    }
    __device__ __forceinline__ int halo_y() const
    {
        return halo;
    }
};

/* The same where the columns have another halo. */
template <class Form, int N> struct fused_filter_of_two : fused_filter<Form, N> {
    int columns_halo;

    __device__ __forceinline__ int halo_y() const
    {
        return columns_halo;
    }
};

/* Laid into the mantissa of 2^52: an instruction that converts takes longer. */
__device__ __forceinline__ double real_of(uint32_t integer)
{
    return __hiloint2double(0x43300000, (int)integer) - 0x1p52;
}

/* Totals in doubles: t is base + v + 1/2 + bound in such units that bits 19..0 of the upper half
 * are the whole number, and the lower half is the fraction. */
struct totals_in_doubles {
    typedef double total;
    typedef double row_weight;

    static __device__ __forceinline__ uint32_t fraction(double t)
    {
        return (uint32_t)__double2loint(t);
    }

    static __device__ __forceinline__ uint32_t whole(double t)
    {
        return (uint32_t)__double2hiint(t) & 0xfffff;
    }

    /* The lower bytes, or halves, of results side by side. */
    static __device__ __forceinline__ uint32_t pack_bytes(double a, double b, double c, double d)
    {
        const uint32_t ab =
            __byte_perm((uint32_t)__double2hiint(a), (uint32_t)__double2hiint(b), 0x0040);
        const uint32_t cd =
            __byte_perm((uint32_t)__double2hiint(c), (uint32_t)__double2hiint(d), 0x0040);

        return __byte_perm(ab, cd, 0x5410);
    }

    static __device__ __forceinline__ uint32_t pack_halves(double a, double b)
    {
        return __byte_perm((uint32_t)__double2hiint(a), (uint32_t)__double2hiint(b), 0x5410);
    }
};

/* Totals in 64-bit integers: t is v times 2^BITS. */
template <int BITS> struct totals_in_integers {
    typedef uint64_t total;
    typedef uint32_t row_weight;
    static constexpr int fraction_bits = BITS;

    static __device__ __forceinline__ uint32_t fraction(uint64_t t)
    {
        return (uint32_t)(t >> (fraction_bits - 32));
    }

    static __device__ __forceinline__ uint32_t whole(uint64_t t)
    {
        return (uint32_t)(t >> fraction_bits);
    }

    static __device__ __forceinline__ uint32_t pack_bytes(uint64_t a, uint64_t b, uint64_t c,
                                                          uint64_t d)
    {
        return whole(a) | whole(b) << 8 | whole(c) << 16 | whole(d) << 24;
    }

    static __device__ __forceinline__ uint32_t pack_halves(uint64_t a, uint64_t b)
    {
        return whole(a) | whole(b) << 16;
    }
};

/* Columns of bytes: sums of 31 bits, in units of 1/scale grey levels, so that two of them still add
 * up in 32 bits before they are multiplied. Four samples of a word make two parts, the even and the
 * odd ones, 16 bits apart: two rows are added in half as many additions. */
struct columns_of_bytes {
    typedef uint8_t sample;
    typedef uint32_t column_weight;
    typedef uint32_t product;
    typedef uint32_t sum;

    static __device__ __forceinline__ void unpack(uint32_t *parts, uint32_t word)
    {
        parts[0] = word & 0x00ff00ff;
        parts[1] = __byte_perm(word, 0, 0x4341);
    }

    static __device__ __forceinline__ void add_column(uint32_t &product, uint32_t weight,
                                                      const uint32_t *parts, int i)
    {
        const uint32_t part = parts[i / 4 * 2 + i % 2];

        product += weight * (i & 2 ? part >> 16 : part & 0xffff);
    }

    static __device__ __forceinline__ uint32_t end_column(uint32_t product, int)
    {
        return product;
    }
};

/* Samples of 16 bits. Each is a part. */
struct samples_of_words {
    typedef uint16_t sample;

    static __device__ __forceinline__ void unpack(uint32_t *parts, uint32_t word)
    {
        parts[0] = word & 0xffff;
        parts[1] = word >> 16;
    }
};

/* A sum S of bytes stands as 2^52 + S: a constant upper half, and S. */
struct form_bytes : columns_of_bytes, totals_in_doubles {
    static __device__ __forceinline__ void add_row(double &total, double weight, uint32_t sum)
    {
        total = fma(weight, __hiloint2double(0x43300000, (int)sum), total);
    }

    static __device__ __forceinline__ void add_rows(double &total, double weight, uint32_t left,
                                                    uint32_t right)
    {
        add_row(total, weight, left + right);
    }
};

/* 2^32 times the weights, near enough, times 31 bits. */
struct form_bytes_integers : columns_of_bytes, totals_in_integers<55> {
    static __device__ __forceinline__ void add_row(uint64_t &total, uint32_t weight, uint32_t sum)
    {
        total += (uint64_t)weight * sum;
    }

    static __device__ __forceinline__ void add_rows(uint64_t &total, uint32_t weight, uint32_t left,
                                                    uint32_t right)
    {
        add_row(total, weight, left + right);
    }
};

/* 16 bits in doubles all the way: a sample x, or a sum of two, stands as 2^20 + x, whose upper half
 * is 0x41300000 + x and whose lower half is 0. Weights of 46 bits are exact, and next to nothing is
 * unresolved. */
struct form_words : samples_of_words, totals_in_doubles {
    typedef double column_weight;
    typedef double product;
    typedef double sum;

    static __device__ __forceinline__ void add_column(double &product, double weight,
                                                      const uint32_t *parts, int i)
    {
        product = fma(weight, __hiloint2double((int)(parts[i] + 0x41300000u), 0), product);
    }

    static __device__ __forceinline__ double end_column(double product, int)
    {
        return product;
    }

    static __device__ __forceinline__ void add_row(double &total, double weight, double sum)
    {
        total = fma(weight, sum, total);
    }

    static __device__ __forceinline__ void add_rows(double &total, double weight, double left,
                                                    double right)
    {
        add_row(total, weight, left);
        add_row(total, weight, right);
    }
};

/* Sums of 31 bits, of which a weight near one leaves 14 for the fraction. */
struct form_words_integers : samples_of_words, totals_in_integers<46> {
    typedef uint32_t column_weight;
    typedef uint64_t product;
    typedef uint32_t sum; /* of 31 bits */

    static __device__ __forceinline__ void add_column(uint64_t &product, uint32_t weight,
                                                      const uint32_t *parts, int i)
    {
        product += (uint64_t)weight * parts[i];
    }

    static __device__ __forceinline__ uint32_t end_column(uint64_t product, int shift)
    {
        return (uint32_t)(product >> shift);
    }

    static __device__ __forceinline__ void add_row(uint64_t &total, uint32_t weight, uint32_t sum)
    {
        total += (uint64_t)weight * sum;
    }

    static __device__ __forceinline__ void add_rows(uint64_t &total, uint32_t weight, uint32_t left,
                                                    uint32_t right)
    {
        add_row(total, weight, left + right);
    }
};

#endif
