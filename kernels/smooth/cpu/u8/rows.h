/* SPDX-License-Identifier: MIT */
/* The first pass over 8-bit samples, along the rows: sums of products with integer weights. The
 * sums of a block of samples stay in registers while the taps go by, so each loop has the block's
 * size as a constant, and the compiler unrolls it. */
#ifndef SMOOTHIMG_SMOOTH_U8_ROWS_H
#define SMOOTHIMG_SMOOTH_U8_ROWS_H

#include "kernels/smooth/cpu/u8/loops.h"
#include "kernels/smooth/cpu/vectors/vectors.h"

/* Stores two vectors of sums as floats. If weights have two digits, it first joins the sums of the
 * upper and of the lower digit. */
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
/* Each of these headers defines, with an order of sums of its own,
 *   struct row_taps, row_taps(weights, halo)
 *                                 the weights for sum_samples, in a local variable; with one digit
 *                                 the halo is a constant
 *   sum_samples(src, count, digits, x, taps, halo, step, sums)
 *                                 for one row, or with one digit two rows, the sums of 2 WORDS
 *                                 samples from x on; the first sum's centre is
 *                                 src[..][x + halo * step]
 *   take_apart(sums, grey, pixels, fractions)
 *                                 splits the estimates of WORDS samples into upper words, in the
 *                                 samples' order, and lower words
 *   fraction_place(lane, grey)    index of the sample whose fraction is in that lane
 * grey: see weights.h. */
// clang-format on
#ifdef LEVEL_NEON
#include "kernels/smooth/cpu/u8/rows_neon.h"
#else
#include "kernels/smooth/cpu/u8/rows_pairs.h"
#endif

#endif
