/* SPDX-License-Identifier: MIT */
/* The groups of cases that are made for one thing each. Each function completes a case of its
 * group, which has a number, a random shape and no filter. */
#ifndef SMOOTHIMG_CASES_GROUPS_H
#define SMOOTHIMG_CASES_GROUPS_H

#include "tests/variants/cases/cases.h"

/* A maxval of integers. */
uint32_t case_maxval(uint64_t seed);

/* Two channels or four, as files have them, and others. */
void weigh(struct test_case *test);

/* A small picture: as much of it as the reference does in a moment. */
void make_small(struct test_case *test);

/* Extreme filters. */
void make_hostile(struct test_case *test);

/* Two different axes: each pair in both orders, in both norms, with both depths and colours that
 * alpha weighs. */
void make_axes(struct test_case *test);

/* Halos beyond 64. */
void make_large(struct test_case *test);

#endif
