/* SPDX-License-Identifier: MIT */
/* The window of nine: 8 bits, halo 1. Both sums at once, in whole numbers: an output is
 *
 *     centre a + (sum of the four beside it) b + (sum of the four at the corners) c
 *
 * with a, b and c the products of two weights, in units of 2^-24. The sums are made of two samples
 * side by side in a word. One output in 10^4 is in doubt: it is computed again with products in
 * units of 2^-40, and if that does not do, listed for fused_repair. */
#ifndef SMOOTHIMG_FUSED_NINE_CUH
#define SMOOTHIMG_FUSED_NINE_CUH

#include "fused_filter.cuh"
#include "fused_repair.cuh"

/* For fused_window, in the place of a form. */
struct form_nine : columns_of_bytes {
};

struct nine_filter {
    uint32_t weights[3]; /* a, b, c */
    uint32_t offset, doubt;
    uint64_t long_weights[3];
    uint64_t long_offset, long_doubt;
};

#define NINE_BITS 24
#define NINE_LONG_BITS 40

/* In units of 2^-bits; and as fused_arithmetic.cuh says, the offset, and what is in doubt. */
static inline void make_nine_weights(const struct job *job, int bits, uint64_t (&weights)[3],
                                     uint64_t *offset, uint64_t *doubt)
{
    const double one = ldexp(1, bits), most[3] = {1, 4, 4}; /* samples */
    double least = 0, greatest = 0;                         /* of the error, in units */

    for (int i = 0; i < 3; i++) {
        const double exact = weight_of(job, i > 0) * weight_of(job, i > 1) * one;
        const double weight = floor(exact + 0.5), off = weight - exact;

        weights[i] = (uint64_t)weight;
        (off < 0 ? least : greatest) += off * most[i] * job->maxval;
    }
    *offset = (uint64_t)ceil(one / 2 - least) + 1;
    *doubt = (uint64_t)ceil(greatest - least) + 3; /* doubles' roundings are far below one */
}

static inline void make_nine_filter(const struct job *job, nine_filter *filter)
{
    uint64_t weights[3], offset, doubt;

    make_nine_weights(job, NINE_BITS, weights, &offset, &doubt);
    for (int i = 0; i < 3; i++)
        filter->weights[i] = (uint32_t)weights[i];
    filter->offset = (uint32_t)offset;
    filter->doubt = (uint32_t)doubt;
    make_nine_weights(job, NINE_LONG_BITS, filter->long_weights, &filter->long_offset,
                      &filter->long_doubt);
}

/* Sums of a lane's 16 columns. Word 2 w has those of columns 4 w and 4 w + 2, word 2 w + 1 those of
 * the columns to their right. */
struct nine_sums {
    uint32_t centre[8], beside[8], corners[8];
};

/* The upper half of a, and the lower one of b to its left... in memory: columns in their order. */
__device__ __forceinline__ uint32_t between(uint32_t a, uint32_t b)
{
    return __byte_perm(a, b, 0x5432);
}

__device__ __forceinline__ void sum_nine(nine_sums &sums, const uint32_t (&above)[8],
                                         const uint32_t (&middle)[8], const uint32_t (&below)[8])
{
    uint32_t ends[8]; /* above and below */

#pragma unroll
    for (int p = 0; p < 8; p++)
        ends[p] = above[p] + below[p];
    /* The column left of the lane's, and the one right of them: of the middle row in the lower
     * half, of the ends in the upper. */
    const uint32_t left = __shfl_up_sync(0xffffffff, __byte_perm(middle[7], ends[7], 0x7632), 1);
    const uint32_t right = __shfl_down_sync(0xffffffff, __byte_perm(middle[0], ends[0], 0x5410), 1);

#pragma unroll
    for (int p = 0; p < 8; p += 2) {
        const uint32_t middle_left =
            p ? between(middle[p - 1], middle[p + 1]) : __byte_perm(left, middle[1], 0x5410);
        const uint32_t middle_right = between(middle[p], p < 6 ? middle[p + 2] : right);
        const uint32_t ends_left = between(p ? ends[p - 1] : left, ends[p + 1]);
        const uint32_t ends_right =
            p < 6 ? between(ends[p], ends[p + 2]) : __byte_perm(ends[6], right, 0x7632);

        sums.centre[p] = middle[p];
        sums.centre[p + 1] = middle[p + 1];
        sums.beside[p] = ends[p] + middle_left + middle[p + 1];
        sums.beside[p + 1] = ends[p + 1] + middle[p] + middle_right;
        sums.corners[p] = ends_left + ends[p + 1];
        sums.corners[p + 1] = ends[p] + ends_right;
    }
}

__device__ __forceinline__ uint32_t half_of(uint32_t word, int half)
{
    return half ? word >> 16 : word & 0xffff;
}

/* Where column i of a lane is. */
__device__ __forceinline__ int word_of(int i)
{
    return i / 4 * 2 + i % 2;
}

/* The output of column i in long numbers. The word is found by comparing: registers have no index.
 */
__device__ __forceinline__ uint64_t sum_long(const nine_sums &sums, const nine_filter &filter,
                                             int i)
{
    uint32_t centre = 0, beside = 0, corners = 0;

#pragma unroll
    for (int p = 0; p < 8; p++)
        if (p == word_of(i)) {
            centre = sums.centre[p];
            beside = sums.beside[p];
            corners = sums.corners[p];
        }
    return filter.long_offset + half_of(centre, i & 2) * filter.long_weights[0] +
           half_of(beside, i & 2) * filter.long_weights[1] +
           half_of(corners, i & 2) * filter.long_weights[2];
}

/* Computes those outputs again whose bit is set, and lists what is still in doubt. */
__device__ __forceinline__ void repair_nine(uint8_t *out, const nine_sums &sums,
                                            const nine_filter &filter, uint32_t which, int64_t x,
                                            int64_t y, doubts *doubts, int64_t capacity)
{
#pragma unroll 1
    for (; which; which &= which - 1) {
        const int i = __ffs((int)which) - 1;
        const uint64_t t = sum_long(sums, filter, i);

        out[i] = (uint8_t)(t >> NINE_LONG_BITS);
        if ((t & ((1ull << NINE_LONG_BITS) - 1)) < filter.long_doubt)
            add_doubt(doubts, {x, y, 0, 1u << i}, capacity);
    }
}

/* Outputs in words, and the fractions' upper 16 bits, the lowest of which comes back. */
__device__ __forceinline__ uint32_t weigh_nine(uint32_t (&t)[16], const nine_sums &sums,
                                               const nine_filter &filter)
{
    uint32_t lowest = 0xffffffff;

#pragma unroll
    for (int i = 0; i < 16; i++)
        t[i] = half_of(sums.centre[word_of(i)], i & 2) * filter.weights[0] +
               half_of(sums.beside[word_of(i)], i & 2) * filter.weights[1] +
               half_of(sums.corners[word_of(i)], i & 2) * filter.weights[2] + filter.offset;
#pragma unroll
    for (int i = 0; i < 16; i += 2)
        lowest = __vminu2(lowest, __byte_perm(t[i], t[i + 1], 0x6521));
    return min(lowest & 0xffff, lowest >> 16);
}

#endif
