/* SPDX-License-Identifier: MIT */
/* Proves how far an estimate, which is a sum computed in doubles, may be from the exact number.
 * u = 2^-53. A sample or tap is plain if it is 0 or between 2^-600 and 2^600.
 *
 * Passes in one double, on the host. The peak P bounds the magnitudes of all samples that the
 * filter reads. A node is an array that passes make (scheme.h). Its numbers are at most A P in
 * magnitude, and their errors at most K u P. For samples A is 1, and K is 0, or 1 if doubles do not
 * hold the samples exactly. S is the sum of an axis' |taps|. Down the columns a sum begins with the
 * outermost taps and goes inwards, and adds one product for each tap. An addition is rounded by at
 * most u times the partial sum so far, and in this order the partial sums stay small. sum_twos()
 * first adds the two numbers that are at the same distance from the centre. That halves the
 * additions to the sum, but rounds the sum of each pair. Let C be the sum of all partial sums of
 * |taps|, plus S for the rounding of these pairs. A pass reads a node with the bounds A and K. The
 * node to which it adds has the bounds A' and K', and the pass increases them by
 *
 *     A' += S A        K' += S K + (C + 2 S) A
 *
 * The last term covers the roundings of additions, of products where they are not fused, and of the
 * taps. C is computed from the taps, for each of the rows whose sums are in registers at the same
 * time: the rows share what they read, so the sums of different rows begin at different taps. Along
 * the row, the two numbers at the same distance are added before they are multiplied by their tap,
 * and the products may be added in any order: C = (halo + 2) S. Where a node is the sum of several
 * passes, each addition of a pass to the node adds the node's A to its K. So the error is below
 * 1.02 (K + 8 A) u P = b. The 8 A are for the rounding of b and of the ends of the interval e - b
 * .. e + b, where e is the estimate.
 *
 * If all samples and taps are plain, and so not negative, partial sums are at most the sum itself.
 * With R the greatest number of operations that round a product or a sum that contains it, the
 * error is below 1.02 (R + 8) u times the result. The lesser of the two bounds is used.
 *
 * On a GPU operations are fused, and the 2 S are for the taps and for the sums of pairs. For a long
 * halo, each sum first adds the two numbers at the same distance, and goes from the outermost pair
 * inwards: C is the sum of all partial sums of the pairs' |taps|. For a short halo a sum may be
 * made from one end to the other. Since |taps| are symmetric, C is then (halo + 1) S, which is also
 * enough if the sum goes inwards. All results of a tile have the same peak. The 8 A are left out,
 * since the ends of the interval are rounded outwards.
 *
 * Where vectors round to integers (host/store.h), the upper end of an interval, e + b + 1/2, is
 * rounded by at most u (A P + 2). The computed distance from this end to its floor is exact, or off
 * by at most u if it is nearly 1. Together these are at most u (A P + 3).
 *
 * Sums in two doubles. Two doubles hold each number; the lower one is its rest. The upper ones are
 * multiples of a power of two: they lie on a grid. On the host, the numbers that a pass makes for a
 * tile share a scale U, a power of two, and |number| <= U / 4. A sum begins with 1.5 U and stays
 * between U and 2 U, so it is a multiple of 2 u U. The rounding of one fused operation loses at
 * most u U. This loss is computed as tap * number - (sum after - sum before). The difference of the
 * sums is exact, so only one operation is rounded. At the end 1.5 U is subtracted, which is exact.
 * So upper doubles are multiples of 2 u U, and the two at the same distance above and below the
 * centre are added exactly. Samples are not on a grid yet, so two samples are multiplied separately
 * (`apart`). The scale of a pass is the scale of the numbers that it reads, times a power of two:
 * the least one above s - 2^-30, but at least 1, where s is the greatest sum, over the nodes of the
 * stage, of the |taps| of all passes that a node adds. The 2^-30 lets taps that sum to 1, or
 * slightly more because they are rounded, keep the scale.
 *
 * In units of U, a pass along an axis of halo h gives |rest| <= l + (2 h + 2) u, where l bounds the
 * rests of what the pass reads; the second term is from what at most 2 h + 1 operations lose and
 * from the taps' rests. Over all axes, |rest| <= R u, where R is now the sum of (2 h + 3). Three
 * kinds of operations are rounded: those on the losses and on what is added to the losses, by at
 * most (8 h + 8) u^2; the sums of two rests and the products of these with taps, by 3 u^2 R; the h
 * + 1 additions to the rest, by u^2 R each. Products of two rests, at most u^2 R, are left out. So
 * a pass adds at most ((h + 6) R + 8 h + 8) u^2. With L = the sum of (h + 9) over all passes that a
 * node adds, and a margin for other terms and the last operations,
 *
 *     |error| <= 2 L^2 u^2 U, half of the bound that is used
 *
 * On a GPU each number is multiplied separately. The scale of a node is 8 P times its gain, or
 * less, where P is the peak of a tile, or of what a warp reads. The gain is a power of two: the
 * least one above (1 - 2^-30) times the sum, over the passes that the node adds, of S times the
 * gain of what the pass reads. A product is added by six operations. Of these operations, the one
 * that computes the loss is rounded by at most u^2 U, and each of the three that add to rests by at
 * most u^2 R U. So a pass adds at most ((2 h + 1) (3 R + 1) + R) u^2 U to the error, and an
 * addition of two passes 4 R u^2 U. The bound is the sum of these over all stages, with U of the
 * results.
 *
 * On a GPU a single window is summed down its columns first. Each column is divided among s
 * threads. Each thread sums up to n samples of the column, each sample times the weight of its row,
 * which is a product of taps in two doubles. U is 8 P G, where G is the product of all stages'
 * gains; the sum of the |weights| of all rows is at most G. A product loses at most u U, so |rest|
 * <= (n + 1) u U, and the operations of n products are rounded by at most 3 n (n + 2) u^2 U. The s
 * sums are then multiplied by the column's tap, and the sum of the |taps| of all columns is at most
 * G. With L = 64 + the sum of (2 h + 16) over all axes, which leaves room for the roundings of
 * weights and of the last additions, and T terms,
 *
 *     |error| <= 4 (L + n) (L + s n) u^2 U G T
 *
 * For plain numbers and taps, an estimate of 0 is proven to be exact. The upper double of a number
 * is then a sum of values that are not negative. Where it is 0, no product has changed that sum,
 * and the rest is a sum of the products themselves and of rests. Let c be the greatest ratio of a
 * |rest| to its number. After a pass over such numbers the ratio is at most (4 h + 4) (c + 1),
 * since a product that changes a sum is at least half a unit of its grid. The errors above are
 * smaller than the numbers as long as c R u is far below 1, which scheme->bounds.proves_zeros
 * requires.
 *
 * The error by underflow has an absolute bound. It is at most 2^-1074 in an operation, and is then
 * multiplied by the other axes' weights: the total is below 2^20 * 2^-1074 times the product of the
 * sums of |weights|. With more than nine filtered axes the total might be greater; then all results
 * are summed exactly.
 *
 * A mean is N / A, where N is the sum of weighted samples and A here is the sum of their weights.
 * If the errors of these two estimates are at most b and c |A|, with c <= 1/4, the mean's error is
 * at most
 *
 *     (b + |N / A| c |A|) / (|A| - c |A|) <= (1 + 2 c) (b / |A| + c |N / A|)
 *
 * plus the rounding of the division. On the host one bound holds for a block of means: it is
 * computed from the least |A| and the greatest |N / A| of the block. On a GPU each mean has its own
 * bound. For plain samples and weights, the errors of N and of A are at most r times N and r times
 * A, and the error of the mean is at most 2 r times the mean. Weights of 0 and 1 are plain. Where
 * all weights of a window are 0, the estimate of A is 0; if the weights are plain, the estimate is
 * 0 only in such windows.
 *
 * The square root of a sum of squares: let e be the vector of the terms' estimates and V that of
 * their exact values. Then | |e| - |V| | <= |e - V| <= the sum of the terms' bounds. The margins of
 * these bounds cover the roundings of the root itself. The squares of rests are left out, since
 * rests are first made small beside their numbers. */
#ifndef SMOOTHIMG_ARRAYS_BOUNDS_H
#define SMOOTHIMG_ARRAYS_BOUNDS_H

#include "kernels/common/arrays.h"
#include "kernels/common/host_device.h"

#include <math.h>

/* A number is plain if it is 0 or from LEAST_PLAIN to MOST_PLAIN. If all numbers that a result
 * depends on are plain, its error bound may be relative to the result. */
#define LEAST_PLAIN 0x1p-600
#define MOST_PLAIN 0x1p600

#define LEAST_PLAIN_FACTOR 0x1p-300 /* its square is LEAST_PLAIN */

HOST_DEVICE bool real_is_plain(double value)
{
    return value == 0 || (value >= LEAST_PLAIN && value <= MOST_PLAIN);
}

#ifdef __cplusplus
extern "C" {
#endif

/* The bound for underflow holds up to these limits: how many fraction bits the weights of all
 * filtered axes may have together (LEAST_PLAIN 2^-434 = 2^-1034 is far above 2^-1074), and how many
 * axes may be filtered. */
#define ARRAY_MOST_BITS 434
#define ARRAY_MOST_AXES 9

/* Returns the greatest magnitude of the numbers that are loaded from samples of at most `peak`. If
 * alpha weights the samples, these numbers are the products of samples and alpha, and alpha itself;
 * otherwise they are the samples. */
static inline double array_loaded_peak(const struct array_job *job, double peak)
{
    return job->weighing == ARRAY_BY_ALPHA ? fmax(peak, peak * peak) : peak;
}

#define LEAST_SCALE 0x1p-960 /* the least scale U of samples that are not all 0 */

/* Returns the scale U (see the head) for numbers of at most `most` in magnitude: a power of two
 * between 4 and 8 times `most`, but at least LEAST_SCALE; 0 if `most` is 0. */
double array_scale(double most);

/* On a GPU, a sum whose halo is at most this may be made from one end to the other. */
#define MOST_SHORT 8

/* How many of the result rows have their sums in registers at the same time (host/columns.h). */
#define ARRAY_TILE_ROWS 4

/* How many zeros precede and follow the taps. partial_sums() in bounds.c reads zeros where a source
 * row is outside of a result row's window, but in that of another row whose sums are in registers
 * at the same time. */
#define TAPS_PAD (ARRAY_TILE_ROWS - 1)

/* The taps of one axis. */
struct axis_taps {
    const struct array_weight *weights; /* halo + 1 weights, from the centre outwards */
    int64_t halo;                       /* the tap at this distance is not 0, unless halo is 0 */
    bool odd;
    enum edge edge;
    int bits;
    /* The tap at distance k is held in two doubles: it is taps[k] + rests[k]. Both doubles are 0 at
     * distances from halo + 1 to halo + TAPS_PAD on either side. */
    double *taps, *rests;
    bool negative; /* a tap is negative, or the taps are odd */
    bool dense;    /* no tap is 0; odd taps are never dense, since the tap at the centre is 0 */
    double sum;    /* S in the head of this file: the sum of |taps| */
    /* C in the head is `inwards` + `sum` for sums down columns on the host, and `on_gpu` for all
     * sums on a GPU. */
    double inwards, on_gpu;
};

/* Computes taps[], rests[] and the members after them from the members before them. */
void axis_taps_fill(struct axis_taps *taps);

/* The bounds of the numbers of a node, an array of sums (scheme.h): `size` is A, in units of the
 * peak; `error` is K, in units of u times the peak. */
struct node_bound {
    double size, error;
};

/* Converts a weight, an integer in units of 2^-bits, to two doubles, *tap and *rest. Their
 * sum is off by less than 2^-106 of itself. */
void array_tap(int bits, const struct array_weight *weight, double *tap, double *rest);

#ifdef __cplusplus
}
#endif

#endif
