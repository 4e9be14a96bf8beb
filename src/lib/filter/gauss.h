/* SPDX-License-Identifier: MIT */
/* The filter's parameters, and its weights: the one place where the Gaussian is evaluated. */
#ifndef SMOOTHIMG_GAUSS_H
#define SMOOTHIMG_GAUSS_H

#include "src/lib/base/error.h"
#include "src/lib/image/halo.h"

#include <stdint.h>

enum norm {
    NORM_SUM,     /* weights sum to 2^46 exactly: flat stays flat */
    NORM_ANALYTIC /* weights are the density of the normal distribution */
};

enum alpha {
    ALPHA_WEIGHTED, /* where an image has alpha, its colours count by it */
    ALPHA_SEPARATE  /* alpha is a channel like any other */
};

struct filter {
    int64_t halo; /* 0..MAX_HALO; 0 is the identity */
    double sigma; /* pixels, above 0; or 0: a third of the halo */
    enum norm norm;
    enum edge edge;
    enum alpha alpha;
};

/* The sigma in force, in pixels, for people to read; 0 for the identity. */
double gauss_sigma(const struct filter *filter);

/* The halo that a sigma calls for by itself: ceil(3 sigma), of the exact product. */
double gauss_halo_of(double sigma);

/* Fills weights[0 .. 2 halo], centre at weights[halo], in units of 2^-46, from
 *
 *     g(k) = exp(-k^2 / (2 sigma^2)),   S = sum of g(k), k = -halo..halo
 *     NORM_SUM:       w(k) = floor(2^46 g(k) / S + 1/2), k != 0;   w(0) = 2^46 - the others
 *     NORM_ANALYTIC:  w(k) = floor(2^46 g(k) / (sigma sqrt(2 pi)) + 1/2)
 *
 * evaluated in integers with a fraction of 256 bits, and so the same on every machine, without
 * allocating anything. STATUS_INVALID if the analytic
 * weights sum to 4 x 2^46 or more: then 64 bits would not hold the sums. */
enum status gauss_weights(const struct filter *filter, uint64_t *weights, struct error *error);

#endif
