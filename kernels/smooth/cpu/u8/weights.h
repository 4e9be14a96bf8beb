/* SPDX-License-Identifier: MIT */
/* How smooth_cpu treats 8-bit samples: an estimate, a proof of how far off it can be, a repair.
 *
 * The estimate. Along a row, products of 16 bits: weights w(k) are cut to integers W(k) below 2^15
 * (or to two such digits), so that one instruction multiplies pairs of samples by pairs of weights
 * and adds them up, without error, in 32 bits. Down the rows, single-precision floats: the row sums
 * S-fold (S is the scale of W) times w(k) 2^F / S (F is
 * FRACTION_BITS), so that the result converts to an integer whose
 * lowest F bits are the fraction. Halves go up: 1/2 is added, and the upper bits are the pixel.
 *
 * The bound. Call the definition's value v, and the estimate, before 1/2 is added, v'. M is maxval,
 * u = 2^-24, A = sum of w(k), everything in units of 1. Each line bounds one cause:
 *
 *   1. W(k)/S in place of w(k): a row is off by sum of d(k) p(k), where d(k) = W(k)/S - w(k) is
 *      known. Samples are 0..M: that lies between M sum of min(d, 0) and M sum of max(d, 0). The
 *      middle, times A for the second pass, is a bias, subtracted; what is left on either side is
 *                                                                 A M/2 sum of |d(k)|
 *   2. row sums to floats: one rounding, with two digits three (either digit, and their sum), of at
 *      most R = M sum of W(k) / S (or a little over, see 5), times A:        3 u R A
 *   3. the column's weights rounded to floats: at most u relatively:         u R A
 *   4. floats' sums. From the outside in, acc(h) = start + w(h) (p(-h) + p(h)), ..., acc(0):
 *      folding rounds by u w(k) 2 R, the product, if not fused, by as much:  u R A each
 *      an addition by u acc(k), acc(k) <= start + R sum of w(j), |j| >= k:   u sum of acc(k)
 *      From the outside in most partial sums are small, hence this order.
 *   5. products of two of these errors: a hundredth more.
 *
 * The sum of them is e. As start has 1/2 + e in it, less the bias, the integer is in
 * [2^F (v + 1/2) - 1, 2^F (v + 1/2 + 2e)]: its upper bits are right unless its fraction is below
 * 2e. That is the test: bits F-1..t of the fraction all zero, where 2^t >= 2^F 2e + 1.
 *
 * The repair. What fails the test is unresolved: it is listed, and computed again sample by sample:
 * in doubles, where there are vectors for it, and by the definition (cpu/exact.h) where doubles are
 * too near a half either. For noise these are about 0.1 % of the pixels. In a picture where they
 * are many (a chequer: every value is nearly a half) whole rows are done in doubles
 * (cpu/doubles.h). */
#ifndef SMOOTHIMG_SMOOTH_U8_WEIGHTS_H
#define SMOOTHIMG_SMOOTH_U8_WEIGHTS_H

#include "kernels/variant.h"

#define U8_MAX_HALO 96   /* above it 32 bits might not hold a row's sums */
#define FRACTION_BITS 22 /* of an estimate: leaves 9 for the pixel */
#define U8_MAX_REACH 128 /* samples to either side that the repair's doubles can do */
#define DIGIT_BITS 15    /* with two digits W = 2^15 digit 0 + digit 1 */

struct smooth_u8_weights {
    int64_t halo;
    int digits;                            /* 1 or 2 */
    int16_t row[2][2 * (U8_MAX_HALO + 2)]; /* by digit: W(-halo-1) = 0, ..., W(halo+1) = 0 */
    float column[U8_MAX_HALO + 1];         /* w(0), w(1), ... w(halo), times 2^F / S */
    float start;                           /* 2^F (1/2 + e - bias) */
    int32_t unresolved_mask;               /* bits F-1..t: all zero: unresolved */
    double bound;                          /* e, in grey levels */

    double repair_bound; /* of filter_sample, in grey levels */
    /* For the repair, if the reach is at most U8_MAX_REACH, in units of 1: */
    int64_t reach;                        /* halo * channels */
    double taps[U8_MAX_HALO + 1];         /* w(0), ..., w(halo) */
    double spread[2 * U8_MAX_REACH + 16]; /* a row's: w(-halo), zeros up to the next pixel, ... */
};

/* Whether this path serves the job: samples of one byte, a halo that 32 bits can bear, weights that
 * are not all 0, and do not sum to so much that a result could leave the estimate's 9 bits.
 *
 * The bound of such a job stays far below 1/2. With one digit (halo 5 at most) a scale has at least
 * 32767/2 / w units, w the greatest weight, so that line 1 is at most A M/2 11 w/32767 < 0.09, as M
 * A^2 < 500; with two digits it is 2^15 times smaller for 193 taps. Lines 2 to 4 come to less than
 * (6 + halo + 1) u 500 < 0.004. */
bool smooth_u8_serves(const struct job *job);

/* Fills *weights for a job that smooth_u8_serves. */
void smooth_u8_prepare(const struct job *job, struct smooth_u8_weights *weights);

#endif
