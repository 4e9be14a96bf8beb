/* SPDX-License-Identifier: MIT */
/* The first pass over 8-bit samples: along the rows, it sums products of samples and integer
 * weights. The sums of a block of samples stay in registers during the loop over the taps. So the
 * inner loops run over a block, whose size is a constant, and the compiler unrolls them.
 *
 * Integer weights have one or two digits of 15 bits (weights.h). `step` is the distance from a
 * sample to the next of its channel. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

/* Converts two vectors of sums to floats and stores them. With two digits, it first combines the
 * sums of the upper and of the lower digit. */
INLINED void store_sums(float *to, const ints *one, const ints *two, int digits)
{
    floats first = to_floats(one[0]), second = to_floats(two[0]);

    if (digits == 2) {
        first = first * (float)(1 << DIGIT_BITS) + to_floats(one[1]);
        second = second * (float)(1 << DIGIT_BITS) + to_floats(two[1]);
    }
    floats_store(to, first);
    floats_store(to + INTS, second);
}

// clang-format off
/* Each of the two headers below stores row sums in its own order, and defines
 *   struct row_taps, row_taps(weights, halo)
 *                                 the weights for sum_samples, in a local variable; with one digit
 *                                 the halo is a constant
 *   sum_samples(src, count, digits, x, taps, halo, step, sums)
 *                                 computes the sums of 2 WORDS samples from x on, of one row or,
 *                                 with one digit, of two; the first sum's centre is
 *                                 src[..][x + halo * step]
 *   take_apart(sums, grey, pixels, fractions)
 *                                 splits the estimates of WORDS samples into pixels (their upper
 *                                 words), in the samples' order, and fractions (lower words)
 *   fraction_place(lane, grey)    the index of the sample whose fraction is in that lane
 * A vector has WORDS words; `grey` is defined in weights.h. */
// clang-format on
#ifdef LEVEL_NEON
#include "kernels/smooth/cpu/u8/rows_neon.h"
#else
#include "kernels/smooth/cpu/u8/rows_pairs.h"
#endif

/* Sums along `count` source rows for a block from x on, into sums[..][x..]. */
INLINED void sum_source(const struct source_rows *source, int count, int digits, int64_t x,
                        const struct row_taps *taps, int64_t halo, int64_t step, float *const *sums)
{
    const bool lined = x < source->head || x >= source->tail;
    const uint8_t *const src[2] = {lined ? source->lines[0] : source->direct[0],
                                   lined ? source->lines[1] : source->direct[1]};

    sum_samples(src, count, digits, x, taps, halo, step, sums);
}

#endif
