/* SPDX-License-Identifier: MIT */
/* Hostile cases for the variants: a number is a case, on every machine. */
#ifndef SMOOTHIMG_CASES_H
#define SMOOTHIMG_CASES_H

#include "src/lib/filter/gauss.h"
#include "src/lib/image/image.h"

/* Every size with every fill, each several times with other channels, depths, halos and rules.
 * After them, for smooth alone: images whose colours alpha weighs, every size with every fill of
 * alpha; and tiny images with hostile filters, every halo up to the largest with sigmas from those
 * that leave the centre alone to those that make a box, in both norms. */
#define CASE_COUNT 780
#define WEIGHTED_CASE_COUNT 416
#define FIRST_FILTER_CASE (CASE_COUNT + WEIGHTED_CASE_COUNT)
#define FILTER_CASE_COUNT 342

struct test_case {
    int number;
    struct shape shape;
    struct filter filter; /* smooth; the other operations take none of it */
    bool weighted;        /* smooth: see struct job */
    const char *fill;     /* the name of the picture, or, in the cases for alpha, of its alpha */
    int64_t margin;       /* pixels around the output that nobody may touch */
    int threads;
    int block; /* of GPU variants; 0: their own */
};

/* How many cases the operation has. */
int case_count(enum op op);

/* Cases are numbered from 0 to case_count - 1. The halo is 0 for other operations than smooth, and
 * kept small enough that the reference does the case in a moment. */
struct test_case case_of(int number, enum op op);

/* Paints the picture of the case. */
void case_paint(const struct test_case *test, struct image *image);

/* "case 17: 33x31, 3 channels, maxval 4095, halo 4, ... " */
void case_describe(const struct test_case *test, char *text, size_t size);

#endif
