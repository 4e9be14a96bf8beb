/* SPDX-License-Identifier: MIT */
/* Test cases for the variants, many of them extreme. A number gives the same case on every machine.
 */
#ifndef SMOOTHIMG_CASES_H
#define SMOOTHIMG_CASES_H

#include "src/lib/filter/gauss.h"
#include "src/lib/image/image.h"

/* Cases are numbered in seven groups. The first CASE_COUNT are for every operation: every size with
 * every fill, each several times with other channels, depths, halos and edge rules. The others
 * are for smooth alone: images whose colours alpha weighs, every size with every fill of alpha;
 * then tiny images with extreme filters, every halo up to the largest, in both norms, with sigmas
 * so small that only the centre counts, up to sigmas so large that all weights are alike; then the
 * same with another halo and sigma for each axis; halos beyond 64 over images that are large
 * enough for what is made for them; floats, every size with every fill, and the extreme filters;
 * last, those that every sample takes (standing.h). For other operations than smooth the floats,
 * without filters, and standing cases of their own follow the first group. */
#define CASE_COUNT 780
#define WEIGHTED_CASE_COUNT 416
#define FIRST_FILTER_CASE (CASE_COUNT + WEIGHTED_CASE_COUNT)
#define FILTER_CASE_COUNT 342
#define FIRST_AXES_CASE (FIRST_FILTER_CASE + FILTER_CASE_COUNT)
#define AXES_CASE_COUNT 240
#define FIRST_LARGE_CASE (FIRST_AXES_CASE + AXES_CASE_COUNT)
#define LARGE_CASE_COUNT 32
#define FIRST_FLOAT_CASE (FIRST_LARGE_CASE + LARGE_CASE_COUNT)
#define FLOAT_PICTURE_COUNT 390
#define FLOAT_CASE_COUNT (FLOAT_PICTURE_COUNT + FILTER_CASE_COUNT)
#define FIRST_STANDING_CASE (FIRST_FLOAT_CASE + FLOAT_CASE_COUNT)
#define STANDING_CASE_COUNT 78
#define FIRST_STANDING_MOVE (CASE_COUNT + FLOAT_PICTURE_COUNT)
#define STANDING_MOVE_COUNT 14

struct test_case {
    int number;
    struct shape shape;
    struct filter filter; /* for smooth; the others ignore it */
    bool weighted;        /* smooth: see struct request */
    bool skip_nan;        /* smooth: likewise */
    int colours, alpha;   /* the pictures: numbers of fills.h or, of floats, float_fills.h */
    const char *fill;     /* the name of the picture; in the cases for alpha, of its alpha */
    int64_t margin;       /* pixels around the output that the variant must not touch */
    int threads;
    int block;       /* of GPU variants; 0: their default */
    int blocks_down; /* that the emulated device's grid holds in y and in z for what is computed as
                      * a large image; 0: as many as a GPU's */
    bool apart;      /* CPU variants compute it again with rows gigabytes apart */
};

/* How many cases the operation has. */
int case_count(enum op op);

/* Whether every sample of the operation's cases takes that number (standing.h). */
bool case_is_standing(enum op op, int number);

/* The case of that number, 0 to case_count - 1. Its halo is 0 for other operations than smooth, and
 * small enough for the reference to be quick. */
struct test_case case_of(int number, enum op op);

/* Writes "case 17: 33x31, 3 channels, maxval 4095, halo 4, ..." to the text, of `size` bytes. */
void case_describe(const struct test_case *test, char *text, size_t size);

#endif
