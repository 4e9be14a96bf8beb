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
 * Two doubles, of which the second is bounded by |rest| <= L u M. A pass adds K products. The taps
 * and the upper sums are exact in two doubles; what is rounded are operations on rests: for each
 * product four, each of at most (L + 4) u M by u, and the addition to the rest so far, of at most
 * (L + K + 4) u M by u. So a pass adds to the error at most K times 2 (L + K + 4) u^2 for the
 * accumulated rest and 4 (L + 4) u^2 once, weighed by M, and to L at most K + 4. Over all axes,
 * with L = the sum of (K + 8),
 *
 *     |error| <= 4 L^2 u^2 M
 *
 * where a factor of 4/3 is spare. The first pass has L = 0.
 *
 * What underflows is absolute: at most 2^-1074 in an operation, then multiplied by the other axes'
 * weights: below 2^-1074 2^20 times the product of the sums of |weights|. M does not: a sample that
 * is not 0 counts at least 2^-600 (LEAST_PLAIN), and a tap at least 2^-bits. With more axes than
 * seven it might, and everything is summed exactly.
 *
 * The root of a sum of squares: | |e| - |V| | <= |e - V| <= the sum of the terms' bounds, and its
 * own roundings are counted in spare ones. */
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

/* A weight in units of 1, as two doubles. */
void array_tap(const struct array_job *job, const struct array_weight *weight, double *tap,
               double *rest);

#ifdef __cplusplus
}
#endif

#endif
