/* SPDX-License-Identifier: MIT */
/* The definition of the filters, on its own: weights from exponentials with 480 bits, exact sums
 * along one axis after the other in integers that hold all of them, and rounding by comparing the
 * exact number with its candidates. It uses nothing of the library but its header's types. */
#ifndef SMOOTHIMG_RANDOM_ORACLE_H
#define SMOOTHIMG_RANDOM_ORACLE_H

#include "tests/random/big.h"
#include "tests/random/request.h"

/* Filters. `samples` are the source's bits in C order; a bool, or a type of fewer bits, is in the
 * low ones. Returns the results' bits for all places of src, one array after the other if each term
 * is a result. The caller frees them. */
uint64_t *oracle_filter(const struct test_request *request, const uint64_t *samples);

/* Returns the result of smoothimg_move. */
uint64_t *oracle_move(const struct test_request *request, const uint64_t *samples);

/* Returns the sample of a type that is nearest to the number, by the rounding of results. */
uint64_t oracle_sample(double value, const struct type *type, uint64_t maxval);

/* The number that a sample stands for, rounded. */
double oracle_number(uint64_t bits, const struct type *type);

/* Changes some samples of the window of a place of the first term so that its result comes near the
 * middle between two samples of the result's type: the largest weights first, each sample according
 * to what the one before has left. At most `changes` samples. */
void oracle_near_middle(const struct test_request *request, uint64_t *samples, int64_t place,
                        int changes);

#endif
