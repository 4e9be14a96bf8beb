/* SPDX-License-Identifier: MIT */
/* Hostile cases for the variants: a number is a case, on every machine. */
#ifndef SMOOTHIMG_CASES_H
#define SMOOTHIMG_CASES_H

#include "gauss.h"
#include "image.h"

/* Every size with every fill, each several times with other channels, depths, halos and rules. */
#define CASE_COUNT 780

struct test_case {
    int number;
    struct shape shape;
    struct filter filter; /* smooth; the other operations take none of it */
    const char *fill;     /* the name of the picture */
    int64_t margin;       /* pixels around the output that nobody may touch */
    int threads;
    int block; /* of GPU variants; 0: their own */
};

/* Cases are numbered from 0 to CASE_COUNT - 1. The halo is 0 for other operations than smooth, and
 * kept small enough that the reference does the case in a moment. */
struct test_case case_of(int number, enum op op);

/* Paints the picture of the case. */
void case_paint(const struct test_case *test, struct image *image);

/* "case 17: 33x31, 3 channels, maxval 4095, halo 4, ... " */
void case_describe(const struct test_case *test, char *text, size_t size);

#endif
