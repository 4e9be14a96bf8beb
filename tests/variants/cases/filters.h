/* SPDX-License-Identifier: MIT */
/* The filters of cases. */
#ifndef SMOOTHIMG_CASES_FILTERS_H
#define SMOOTHIMG_CASES_FILTERS_H

#include "tests/variants/cases/cases.h"

/* Analytic weights of this sigma sum to more than 2: 64 bits do not hold two row sums of white
 * samples of 16 bits. */
#define CROWDED 0.195

/* Steps that the reference takes for each sample. */
int64_t taps_of(const struct filter *filter);

/* A random filter, so small that the reference takes at most max_steps for an image of this shape.
 * Half of the chequers get one that puts each sample next to a half. */
struct filter filter_of(uint64_t seed, const struct shape *shape, bool chequer, int64_t max_steps);

/* Gives the case extreme filter number i, 0 to FILTER_CASE_COUNT - 1. Halos ascend: buffers grow.
 */
void set_hostile(struct test_case *test, int i);

#endif
