/* SPDX-License-Identifier: MIT */
/* The standing cases, which every sample of the cases takes: `every N` leaves none of them out.
 * They are small, and made for two things: axes that differ in their sigmas or of which one is left
 * alone, for each kind of samples in both norms; and the second part of whatever a variant cuts an
 * image into, of which the README has a table. */
#ifndef SMOOTHIMG_CASES_STANDING_H
#define SMOOTHIMG_CASES_STANDING_H

#include "tests/variants/cases/cases.h"

/* Completes standing case i of smooth, 0 to STANDING_CASE_COUNT - 1. */
void make_standing(struct test_case *test, int i);

/* Completes standing case i of another operation, 0 to STANDING_MOVE_COUNT - 1. */
void make_standing_move(struct test_case *test, int i);

#endif
