/* SPDX-License-Identifier: MIT */
/* Computes a filter's weights by their definition, for the oracle (oracle.h). */
#ifndef SMOOTHIMG_RANDOM_WEIGHTS_H
#define SMOOTHIMG_RANDOM_WEIGHTS_H

#include "tests/random/big.h"
#include "tests/random/request.h"

#define MOST_HALO 1024
#define WEIGHT_LIMBS 4

struct weight {
    limb size[WEIGHT_LIMBS]; /* magnitude in units of 2^-bits (see weights_make) */
    bool negative;
};

struct weights {
    int64_t halo;
    int growth;                          /* the magnitudes sum to less than 2^growth units */
    struct weight at[2 * MOST_HALO + 1]; /* at[MOST_HALO + k] multiplies the sample at x + k */
};

/* Makes the weights of a term along an axis, as multiples of 2^-bits. If the term does not filter
 * the axis, the only weight is 1. Expects *weights to be zeros. */
void weights_make(const struct test_request *request, int term, int axis, int bits,
                  struct weights *weights);

#endif
