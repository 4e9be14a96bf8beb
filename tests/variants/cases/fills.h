/* SPDX-License-Identifier: MIT */
/* The pictures of cases: of colours, and of the alpha that weighs them. float_fills.h has those of
 * floats. */
#ifndef SMOOTHIMG_CASES_FILLS_H
#define SMOOTHIMG_CASES_FILLS_H

#include "tests/variants/cases/cases.h"

#define FILL_COUNT 7
#define ALPHA_FILL_COUNT 8

/* The name of a picture of colours, 0 to FILL_COUNT - 1. */
const char *fill_name(int fill);

/* A chequer stays one in a mirror: then a wide filter puts each sample next to a half. */
bool fill_is_chequer(int fill);

/* The name of a picture of alpha, 0 to ALPHA_FILL_COUNT - 1. */
const char *alpha_fill_name(int fill);

/* Paints the picture of the case; its border stays as it is. */
void case_paint(const struct test_case *test, struct image *image);

#endif
