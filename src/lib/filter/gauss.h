/* SPDX-License-Identifier: MIT */
/* The parameters of a filter, and its weights. Only gauss.c evaluates the Gaussian. */
#ifndef SMOOTHIMG_GAUSS_H
#define SMOOTHIMG_GAUSS_H

#include "src/lib/base/error.h"
#include "kernels/common/edge.h"
#include "kernels/variant.h"

#include <stdbool.h>
#include <stdint.h>

enum norm {
    NORM_SUM,     /* weights sum to 1 exactly: constant areas stay unchanged */
    NORM_ANALYTIC /* weights are the normal distribution's density at integers */
};

struct filter_axis {
    int64_t halo; /* how many pixels the filter reaches to each side, 0..MAX_HALO */
    double sigma; /* in pixels; 0: exactly a third of the halo */
};

/* Returns, for messages, the sigma in pixels: axis->sigma, or, if that is 0, the default as a
 * rounded double. Returns 0 if the halo is 0. */
double gauss_sigma(const struct filter_axis *axis);

/* Returns the default halo for a sigma, in pixels: floor(4 sigma + 1/2) in doubles, as in SciPy. */
double gauss_halo_of(double sigma);

struct array_weight; /* kernels/common/arrays.h */

#define MIN_WEIGHT_SCALE 0x1p-20
#define MAX_WEIGHT_SCALE 0x1p20

/* Fills weights[0 .. halo] of an axis, from the centre outwards. The axis is smoothed (order 0) or
 * differentiated `order` times. The unit of weights is 2^-bits, where bits is 46 or 62. The weights
 * w(k) are defined by
 *
 *     g(k) = exp(-k^2 / (2 sigma^2)),   S = sum of g(k), k = -halo..halo
 *     q_0 = 1,  q_{d+1}(k) = q_d'(k) - (k / sigma^2) q_d(k)
 *     NORM_SUM, order 0:       w(k) = floor(2^bits g(k) / S + 1/2), k != 0;
 *                              w(0) = 2^bits - the sum of the others
 *     NORM_SUM, order > 0:     w(k) = 2^bits factor q_order(k) g(k) / S, rounded to nearest, halves
 *                              away from 0
 *     NORM_ANALYTIC, order 0:  w(k) = floor(2^bits g(k) / (sigma sqrt(2 pi)) + 1/2)
 *
 * Fixed point with a fraction of 256 bits makes the weights the same on every machine. q_d' is the
 * derivative of q_d. weights[k] is the weight of the sample k places after the centre. That weight
 * is w(-k), which is -w(k) for odd orders. With a halo of 0 and order 0 the only weight is 2^bits.
 * factor is 1 for order 0. Returns STATUS_INVALID if weights are too large: weights of a high order
 * with a small sigma, or analytic weights whose sum is 4 or more. */
enum status gauss_weights(const struct filter_axis *axis, int order, double factor, enum norm norm,
                          int bits, struct array_weight *weights, struct error *error);

/* Fills weights[0 .. 2 halo] for the engines (implementations) that are only for images, with the
 * centre at weights[halo]. side[0 .. halo] are weights of order 0 in units of 2^-46, from the
 * centre outwards. */
void gauss_mirror(const struct array_weight *side, int64_t halo, uint64_t *weights);

#endif
