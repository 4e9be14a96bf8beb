/* SPDX-License-Identifier: MIT */
/* How far an estimate may be from the number that is meant. u = 2^-53; M is the sum of |weight|
 * |sample| over the window, in all terms, K the halos' sum of an axis' products, halo + 1.
 *
 * One double. Each rounding multiplies a term's part of the sum by (1 + d), |d| <= u. In the pass
 * along an axis a part meets one rounding of its tap, one of the sum of two samples, one of the
 * product, and at most halo + 1 additions: R = sum of (halo + 4), and with a margin for the last
 * operations and for M, which is rounded too,
 *
 *     |error| <= ((1 + u)^R - 1) M <= 1.1 (R + 8) u M
 *
 * in whatever order the axes are filtered, and the samples at one distance are taken in.
 *
 * What the last pass stores from registers (line.h) has a bound b that is made once. Floats: b M,
 * where b is 4 u above the bound: for the ends of the interval, u M each and as much for b M, and
 * for what underflows, since M is 0 or at least 2^-149 times taps of 2^-bits. Integers: the bound
 * is B >= 9.9 u G, G the greatest |sum|, at least 2; b = 1.25 B allows for 2.4 u G more, where the
 * upper end e + b + 1/2 is rounded by u (G + 2) at most. Its distance from its floor is exact, or
 * within u of 1.
 *
 * Two doubles, of which the second is bounded by |rest| <= L u M: on a GPU, in whose passes K is
 * 2 halo + 1, and of single samples (window.c): first the window's rows are added, K of them,
 * weighed by the products of their taps, then K products along the axis that is left. The sums of
 * the upper doubles are exact in two; what is rounded are operations on rests: for each product
 * four, each of at most (L + 4) u M by u, and the addition to the rest so far, of at most (L + K +
 * 4) u M by u. So a sum adds to the error at most K times 2 (L + K + 4) u^2 and 4 (L + 4) u^2,
 * weighed by M, and to L at most K + 4. With L = the sum of all (K + 8), and some for the products
 * of taps and for other terms,
 *
 *     |error| <= 4 L^2 u^2 M
 *
 * Two doubles, of which the upper ones lie on a grid. A block of ARRAY_BLOCK numbers has a scale U,
 * a power of two, and |number| <= U / (2 ARRAY_SLACK). A sum begins with 1.5 U and stays between U
 * and 2 U: it is a multiple of 2 u U, and what one fused operation loses, at most u U, is found
 * exactly but for its own rounding, tap number - (sum after - sum before): the difference of two
 * such sums is exact. At last 1.5 U goes again, exactly. So upper numbers are multiples of 2 u U,
 * and two of them, above and below, add up exactly if their scales differ by less than ARRAY_SLACK;
 * else, and along the row, where samples have no grid yet, each is multiplied by itself (`apart`).
 * A pass has the scale of the greatest number that it reads, times the power of two above the sum
 * of |taps|, so that U does not fall from pass to pass. 2^-30 is left for that sum's own rounding.
 *
 * In units of U, a pass along an axis of a halo h gives a rest of at most l + (2 h + 2) u, where l
 * is that of what it reads, from what at most 2 h + 1 operations lose and from the taps' rests.
 * Over all axes, |rest| <= R u, R = the sum of (2 h + 3). Rounded are the losses and what is added
 * to them, by at most (8 h + 8) u^2; sums of two rests, and their products with taps, by 3 u^2 R;
 * h + 1 additions to the rest, by u^2 R each. Left out are products of two rests, u^2 R. So a pass
 * adds at most ((h + 6) R + 8 h + 8) u^2, and with L = the sum of (h + 9), and a margin for other
 * terms and the last operations,
 *
 *     |error| <= 2 L^2 u^2 U, half of what is counted
 *
 * Of plain numbers and taps an estimate of 0 is proven: upper numbers are sums of what is not
 * negative. Where one is 0, no product has moved the sum, and the rest is a sum of the products
 * themselves and of rests. Let c be the greatest |rest| of numbers by themselves: a pass from c
 * gives at most (4 h + 4) (c + 1), since what has moved a sum was half a unit of its grid, and the
 * errors above are smaller than the numbers as long as c R u is. array_proves_zeros() asks for
 * that.
 *
 * What underflows is absolute: at most 2^-1074 in an operation, then multiplied by the other axes'
 * weights: below 2^-1074 2^20 times the product of the sums of |weights|. M does not: a sample that
 * is not 0 counts at least 2^-600 (LEAST_PLAIN), and a tap at least 2^-bits. With more axes than
 * seven it might, and everything is summed exactly.
 *
 * The root of a sum of squares: | |e| - |V| | <= |e - V| <= the sum of the terms' bounds, and its
 * own roundings are counted in spare ones. It leaves out the squares of rests, which are
 * first made small beside their numbers. */
#ifndef SMOOTHIMG_ARRAYS_BOUNDS_H
#define SMOOTHIMG_ARRAYS_BOUNDS_H

#include "kernels/common/arrays.h"
#include "kernels/smooth/arrays/loops.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Are the estimates sums of two doubles? */
bool array_is_wide(const struct array_job *job);

/* Do they have magnitudes? Integers from integers of up to 32 bits need none: those of the type
 * are enough. */
bool array_has_magnitudes(const struct array_job *job);

/* sides: 1, or 2 where a pass does not add the two samples at a distance first: it has 2 halo + 1
 * products of an axis then, and as many additions. */
struct array_bound array_bound(const struct array_job *job, int sides);

/* By how much the scales of numbers may differ whose sum is exact. */
#define ARRAY_SLACK 32

/* Of sums of two doubles: the scale of numbers up to `most`; by how much the taps of an axis raise
 * it. */
double array_scale(double most);
double array_gain(const double *magnitudes, int64_t halo);

/* Is a plain estimate of 0 proven? */
bool array_proves_zeros(const struct array_job *job);

/* The taps of one axis of a term, in doubles. */
struct taps {
    double *taps, *rests, *magnitudes;
    int64_t halo;
    bool odd;
    bool keeps_plain; /* no tap is negative */
    bool dense;       /* none is 0, and none is odd */
    double gain;      /* of the scales of sums of two doubles */
    enum edge edge;
};

/* The same of an estimate of array_estimate(). */
struct array_bound array_window_bound(const struct array_job *job);

/* A weight in units of 1, as two doubles. */
void array_tap(const struct array_job *job, const struct array_weight *weight, double *tap,
               double *rest);

#ifdef __cplusplus
}
#endif

#endif
