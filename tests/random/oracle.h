/* SPDX-License-Identifier: MIT */
/* The definition of the filters, by itself: weights from exponentials of 480 bits, exact sums along
 * one axis after the other in integers that hold all of them, and roundings that compare the exact
 * number with its candidates. Nothing here is the library's but the words of its header. */
#ifndef SMOOTHIMG_RANDOM_ORACLE_H
#define SMOOTHIMG_RANDOM_ORACLE_H

#include "tests/random/big.h"
#include "tests/random/request.h"

/* samples: the source's bits in C order; a bool, and types of fewer bits, in the low ones. Returns
 * the results' bits, of all places of src, one array after the other where results are apart. The
 * caller frees them. */
uint64_t *oracle_filter(const struct test_request *request, const uint64_t *samples);

/* What smoothimg_move gives. */
uint64_t *oracle_move(const struct test_request *request, const uint64_t *samples);

/* The sample of a type that is nearest to the number, as results are rounded. */
uint64_t oracle_sample(double value, const struct type *type, uint64_t maxval);

/* The number that a sample stands for, rounded. */
double oracle_number(uint64_t bits, const struct type *type);

/* Changes some samples of the window of a place of the first term so that its result comes near to
 * the middle between two samples of the result's type: the largest weights first, each sample by
 * what the last one has left. changes: how many, at most. */
void oracle_near_middle(const struct test_request *request, uint64_t *samples, int64_t place,
                        int changes);

#endif
