/* SPDX-License-Identifier: MIT */
/* How smooth_cpu computes 8-bit samples: an estimate, a bound on its error, a repair.
 *
 * The estimate. Along a row, in integers: a weight wx(k) times a scale S is rounded to an integer
 * W(k) below 2^15 (at larger halos, one of two such digits). One instruction then multiplies pairs
 * of samples by pairs of weights and adds the products in 32 bits, without error. Down the columns,
 * in floats: the row sums, in units of 1/S, times wy(k) 2^F / S, where F is FRACTION_BITS. The
 * result converts to an integer whose lowest F bits are the fraction. 1/2 is added, so that halves
 * go up, and the upper bits are the pixel.
 *
 * The bound on |v' - v|, where v is the definition's value and v' the estimate before 1/2 is added.
 * M is maxval, u = 2^-24, B = sum of wy(k), everything in units of 1. Each cause adds:
 *
 *   1. W(k)/S in place of wx(k): a row is off by the sum of d(k) p(k), where d(k) is
 *      W(k)/S - wx(k). Samples p are 0..M, so this lies between M sum of min(d, 0) and M sum of
 *      max(d, 0). The middle, times B for the second pass, is a bias, which is subtracted; the
 *      rest is                                                              B M/2 sum of |d(k)|
 *   2. row sums to floats: one rounding of at most R = M sum of W(k) / S (or a little over, see 5),
 *      times B; with two digits one of the upper and one of the sum, and one of the lower, whose
 *      sum is less than R 193 / 2^16:                                        u R B or 2.01 u R B
 *   3. the column's weights rounded to floats: at most u relatively:         u R B
 *   4. floats' sums. From the outside in, acc(h) = start + wy(h) (p(-h) + p(h)), ..., acc(0):
 *      folding rounds by u wy(k) 2 R, the product, if not fused, by as much: u R B each
 *      an addition by u acc(k), acc(k) <= start + R sum of wy(j), |j| >= k:  u sum of acc(k)
 *      In this order, from the outside in, most partial sums are small.
 *   5. products of two of these errors: a hundredth more.
 *
 * Their sum is e. The sum down the columns starts from 1/2 + e less the bias, so the integer lies
 * above 2^F (v + 1/2) - 1, and at most at 2^F (v + 1/2 + 2e): its upper bits are right unless they
 * belong to a whole number between v + 1/2 and there, and then its lower F bits are at most 2^F 2e.
 *
 * The repair. Samples that the test finds are unresolved. They are listed and computed again one by
 * one, in doubles: in noise about 0.1 % of the samples. Where they are many (in a chequer every
 * value is nearly a half), or where the doubles are too near a half as well, the engine of arrays
 * computes the segment of these rows and of those that follow. */
#ifndef SMOOTHIMG_SMOOTH_U8_WEIGHTS_H
#define SMOOTHIMG_SMOOTH_U8_WEIGHTS_H

#include "kernels/variant.h"

#define U8_MAX_HALO 96 /* largest halo of an axis: 32 bits surely hold a row's sums */
/* Fraction bits of an estimate: one word is the fraction, one the pixel. */
#define FRACTION_BITS 16
/* The greatest halo_x * channels: that of four channels at the largest halo. */
#define U8_MAX_REACH 384
#define U8_ONE_DIGIT_HALO 5 /* up to this halo_x one digit is faster, repairs included */
#define DIGIT_BITS 15       /* with two digits W = 2^15 digit 0 + digit 1 */

struct smooth_u8_weights {
    int64_t halo_x, halo_y;
    /* True for one channel and one digit: a vector gives sums of its even samples, then of its odd
     * ones. */
    bool grey;
    int digits; /* 1 or 2 */
    /* For each digit: W(-halo_x-1) = 0, ..., W(halo_x+1) = 0. */
    int16_t row[2][2 * (U8_MAX_HALO + 2)];
    float column[U8_MAX_HALO + 1]; /* wy(0), wy(1), ... wy(halo_y), times 2^F / S */
    float start;                   /* 2^F (1/2 + e - bias) */
    /* 2^F 2e: an estimate with a fraction up to this is unresolved. */
    uint16_t unresolved_limit;
    double bound; /* e, in grey levels */

    double repair_bound; /* bound on filter_sample's error */
    /* For the repair, in units of 1: */
    int64_t reach;                       /* halo_x * channels */
    double taps[U8_MAX_HALO + 1];        /* wy(0), ..., wy(halo_y) */
    double spread[2 * U8_MAX_REACH + 1]; /* wx(-halo_x), zeros up to the next pixel, ... */
};

/* As in struct engine. Refuses all but samples of one byte, halos up to U8_MAX_HALO and
 * U8_MAX_REACH, weights that are not all 0 on either axis and whose sums are so small that no
 * result exceeds the estimate's 9 bits.
 *
 * The bound of such a request stays far below 1/2. With one digit (halo_x 5 at most) a scale is at
 * least 32767/2 / w, where w is the greatest of wx, so that cause 1 adds at most B M/2 11 w/32767 <
 * 0.09, as w <= A, the sum of wx, and M A B < 500; with two digits it is 2^15 times smaller, for
 * 193 taps. Causes 2 to 4 add less than (6 + halo_y + 1) u 500 < 0.004. */
const char *smooth_u8_refuses(const struct request *request);

/* Fills *weights for a request that is not refused. */
void smooth_u8_prepare(const struct request *request, struct smooth_u8_weights *weights);

#endif
