/* SPDX-License-Identifier: MIT */
/* How smooth_cpu computes 8-bit samples: an estimate, a bound on its error, a repair. wx(k) and
 * wy(k) are the filter's weights along a row and down a column, at distance k from the centre.
 *
 * The estimate. The sums along a row are in integers: a weight wx(k) times a scale S is rounded to
 * an integer W(k) below 2^15. (At halos above U8_ONE_DIGIT_HALO, W(k) is larger and has two digits
 * of 15 bits.) The products are added in 32 bits, without error; on x86 one instruction multiplies
 * pairs of samples by pairs of weights and adds the products. The sums down the columns are in
 * floats: row sums, which are in units of 1/S, times wy(k) 2^F / S, where F is FRACTION_BITS. Half
 * a grey level is added, so that halves are rounded up. The result, in units of 2^-F grey levels,
 * is converted to an integer: its lowest F bits are the fraction, its upper bits the pixel.
 *
 * The bound on |v' - v|, where v is the definition's value before rounding, and v' the estimate
 * before 1/2 is added. M is maxval, u = 2^-24, B = sum of wy(k). Weights are in units of 1, values
 * in grey levels. Each cause adds an error:
 *
 *   1. W(k)/S replaces wx(k). The error of a row's sum is the sum of d(k) p(k), where d(k) is
 *      W(k)/S - wx(k). Samples p are 0..M, so the error lies between M sum of min(d, 0) and M sum
 *      of max(d, 0). The middle of that range, times B for the second pass, is a bias, which is
 *      subtracted. Half the range remains:                                   B M/2 sum of |d(k)|
 *   2. Row sums are rounded to floats. A sum is at most R = M sum of W(k) / S (or a little more,
 *      see 5), and the second pass multiplies its error by B:                u R B
 *      With two digits there are three roundings: of the upper digit's sum, of the lower digit's
 *      sum, which is less than R 193 / 2^16, and of the total:               2.01 u R B
 *   3. The column's weights are rounded to floats, with a relative error u:  u R B
 *   4. Let r(k) be the row sums that a column needs, k = -h..h, where h is halo_y. They are summed
 *      from the outside in: acc(h) = start + wy(h) (r(-h) + r(h)), ..., acc(0). The rounding of
 *      each r(-k) + r(k) adds at most u wy(k) 2 R to the error, and the rounding of each product,
 *      if it is not part of a fused multiply-add, as much:                   u R B each
 *      Each addition is rounded by u acc(k), where acc(k) <= start + R sum of wy(j), |j| >= k:
 *                                                                            u sum of acc(k)
 *      In this order most partial sums are small.
 *   5. Products of two of these errors: at most a hundredth of their sum.
 *
 * The sum of all causes is e. The sum down the columns starts from 1/2 + e - bias (`start`). So the
 * integer is above 2^F (v + 1/2) - 1 and at most 2^F (v + 1/2 + 2e). Its upper bits can be wrong
 * only if a whole number of grey levels lies above v + 1/2 and not above the integer. In this case
 * the integer's lowest F bits are at most 2^F 2e. Every sample with such a fraction is called
 * unresolved.
 *
 * The repair. Unresolved samples are listed, and computed again one by one in doubles. In an image
 * of noise, about 0.1 % of the samples are unresolved. A segment is a range of columns that is
 * computed from top to bottom. If more than n/32 samples are unresolved in two adjacent rows of n
 * samples together (in a checkerboard pattern every value is nearly a half), these two rows and the
 * rows below them, up to 128 in all, are computed as a whole in doubles, down the columns and then
 * along the row. If the doubles do not prove a rounding either, an exact sum decides, of which
 * 64 bits suffice (settle() in u8.c). */
#ifndef SMOOTHIMG_SMOOTH_U8_WEIGHTS_H
#define SMOOTHIMG_SMOOTH_U8_WEIGHTS_H

#include "kernels/variant.h"

/* The largest halo of an axis. Up to this halo, 32 bits always hold a row's sums. */
#define U8_MAX_HALO 96
/* Fraction bits of an estimate of 32 bits: its lower word is the fraction, its upper word the
 * pixel. */
#define FRACTION_BITS 16
/* The greatest halo_x * channels: four channels at the largest halo. */
#define U8_MAX_REACH 384
#define U8_ONE_DIGIT_HALO 5 /* up to this halo_x one digit is faster than two, repairs included */
#define DIGIT_BITS 15       /* with two digits, W is 2^15 * digit 0 + digit 1 */

/* The weights as the loops need them. The head of this file defines the symbols. */
struct smooth_u8_weights {
    int64_t halo_x, halo_y;
    int32_t maxval;
    /* True for one channel and one digit. Except in NEON, each vector with the sums of even samples
     * is then followed by one with the sums of odd samples. */
    bool grey;
    int digits; /* 1 or 2 */
    /* row[i][halo_x + 1 + k]: digit i of W(k), for k = -halo_x-1..halo_x+1; at both ends of this
     * range W is 0. */
    int16_t row[2][2 * (U8_MAX_HALO + 2)];
    float column[U8_MAX_HALO + 1]; /* wy(0), wy(1), ... wy(halo_y), times 2^F / S */
    float start;                   /* 2^F (1/2 + e - bias) */
    /* 2^F 2e: an estimate whose fraction is at most this is unresolved. */
    uint16_t unresolved_limit;
    double bound; /* e, in grey levels */

    /* To compute unresolved samples again, in doubles; weights are in units of 1. */
    double repair_bound;                 /* bound on a value's error, in grey levels */
    int64_t reach;                       /* halo_x * channels */
    double taps[U8_MAX_HALO + 1];        /* wy(0), ..., wy(halo_y) */
    double spread[2 * U8_MAX_REACH + 1]; /* wx(-halo_x), channels - 1 zeros, ... */
};

/* For the members `refuses` and `make` of struct engine. smooth_u8_make() fills a struct
 * smooth_u8_weights for a request that smooth_u8_refuses() accepts, and returns NULL.
 *
 * smooth_u8_refuses() accepts only integer samples of one byte that alpha does not weight, and
 * halos up to U8_MAX_HALO with halo_x * channels up to U8_MAX_REACH. On neither axis may all
 * weights be 0. The sums of the weights must be so small that results are below 500, since the
 * bound assumes this.
 *
 * The bound of such a request stays far below 1/2. Let A be the sum of wx and w the greatest wx(k);
 * w <= A, and M A B < 500. With one digit (halo_x 5 at most) a scale is at least 32767/2 / w, so
 * cause 1 adds at most B M/2 11 w/32767 < 0.09. With two digits the scale is 2^15 times greater,
 * for up to 193 taps. Causes 2 to 4 add less than (6 + halo_y + 1) u 500 < 0.004. */
const char *smooth_u8_refuses(const struct request *request);
const char *smooth_u8_make(const struct request *request, void *state);

#endif
