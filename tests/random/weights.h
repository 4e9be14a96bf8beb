/* SPDX-License-Identifier: MIT */
/* The weights of the definition, for the oracle. */
#ifndef SMOOTHIMG_RANDOM_WEIGHTS_H
#define SMOOTHIMG_RANDOM_WEIGHTS_H

#include "tests/random/big.h"
#include "tests/random/request.h"

#define MOST_HALO 1024
#define WEIGHT_LIMBS 4

struct weight {
    limb size[WEIGHT_LIMBS]; /* in units of 2^-bits */
    bool negative;
};

struct weights {
    int64_t halo;
    int growth; /* 2^growth exceeds the sum of their magnitudes, in their units */
    struct weight at[2 * MOST_HALO + 1]; /* at[MOST_HALO + k] counts in(x + k) */
};

/* Makes the weights of an axis that some term filters. If this term does not filter it, the weight
 * is 1. `weights` starts as zeros. */
void weights_make(const struct test_request *request, int term, int axis, int bits,
                  struct weights *weights);

#endif
