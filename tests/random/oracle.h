/* SPDX-License-Identifier: MIT */
/* The oracle computes filters by their definition. It uses nothing of the library but the types of
 * smoothimg.h. Weights come from exponentials with 480 bits after the binary point. The oracle
 * sums along one axis after the other, in exact integers. To round an exact number, it compares the
 * number with the two values of the type that enclose it. */
#ifndef SMOOTHIMG_RANDOM_ORACLE_H
#define SMOOTHIMG_RANDOM_ORACLE_H

#include "tests/random/big.h"
#include "tests/random/request.h"

/* Filters `samples`, the bits of the source's samples in C order. Returns the bits of the results
 * for all samples of src, even if the request wants only a part of them. With SMOOTHIMG_APART the
 * results of the second term follow the results of the first, and so on. The caller frees them. */
uint64_t *oracle_filter(const struct test_request *request, const uint64_t *samples);

/* Returns the bits of the samples that smoothimg_move has to write, in C order. The caller frees
 * them. */
uint64_t *oracle_move(const struct test_request *request, const uint64_t *samples);

/* Rounds a number to a sample of the type, as results are rounded. Returns its bits. maxval: the
 * greatest value of an integer; 0 stands for the greatest value of the type. */
uint64_t oracle_sample(double value, const struct type *type, uint64_t maxval);

/* Returns the value of a finite sample, rounded to a double. */
double oracle_number(uint64_t bits, const struct type *type);

/* Changes at most `changes` samples so that the first term's result at `place` comes close to the
 * middle between two values of the result's type. Changes samples of large weights first; each
 * change removes most of the distance that is left. */
void oracle_near_middle(const struct test_request *request, uint64_t *samples, int64_t place,
                        int changes);

#endif
