/* SPDX-License-Identifier: MIT */
/* The filter's parameters and weights. Only gauss.c evaluates the Gaussian. */
#ifndef SMOOTHIMG_GAUSS_H
#define SMOOTHIMG_GAUSS_H

#include "src/lib/base/error.h"
#include "src/lib/image/halo.h"

#include <stdint.h>

enum norm {
    NORM_SUM,     /* weights sum to 2^46 exactly: constant areas stay unchanged */
    NORM_ANALYTIC /* weights are the density of the normal distribution, at whole pixels */
};

enum alpha {
    ALPHA_WEIGHTED, /* colours are weighted by alpha, where an image has it */
    ALPHA_SEPARATE  /* alpha is a channel like any other */
};

struct filter {
    int64_t halo; /* 0..MAX_HALO; 0 is the identity */
    double sigma; /* pixels, above 0; 0: exactly a third of the halo */
    enum norm norm;
    enum edge edge;
    enum alpha alpha;
};

/* filter->sigma or its default, in pixels, rounded: for messages. 0 for the identity. */
double gauss_sigma(const struct filter *filter);

/* The default halo for a sigma, in pixels: ceil(3 sigma), where the product is not rounded. */
double gauss_halo_of(double sigma);

/* Fills weights[0 .. 2 halo], centre at weights[halo], in units of 2^-46, from
 *
 *     g(k) = exp(-k^2 / (2 sigma^2)),   S = sum of g(k), k = -halo..halo
 *     NORM_SUM:       w(k) = floor(2^46 g(k) / S + 1/2), k != 0;   w(0) = 2^46 - the others
 *     NORM_ANALYTIC:  w(k) = floor(2^46 g(k) / (sigma sqrt(2 pi)) + 1/2)
 *
 * evaluated in fixed point with a fraction of 256 bits, and so the same on every machine. The
 * caller owns `weights`. STATUS_INVALID if the analytic weights sum to 4 x 2^46 or more: then
 * sums of samples would not fit 64 bits. */
enum status gauss_weights(const struct filter *filter, uint64_t *weights, struct error *error);

#endif
