/* SPDX-License-Identifier: MIT */
/* The cosines that a filter's weights become, and how far a result may be off.
 *
 * The middle of all grey levels, X, is subtracted from each sample, so that none exceeds X, and X
 * times all weights added to the result. The bound, where an axis has weights of sum S, the
 * cosines' sum is `off` by d, and N steps of a recursion round by r X each (series.h): a column's
 * sum is off by E = (d + N r) X and its size is less than Z = S X + E. A row's sum adds (d + N r) Z
 * of its own axis, and sums the errors of columns: E (S + d). An axis with a small halo is summed
 * directly: each term is rounded halo + 2 times, as a product and in sums. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_PLAN_H
#define SMOOTHIMG_SMOOTH_COSINES_PLAN_H

#include "kernels/smooth/arrays/of_images.h"
#include "kernels/smooth/cpu/cosines/loops.h"
#include "kernels/variant.h"

/* Tests compile these files with less, so that small images have several segments, and poor series
 * many repairs. */
#ifndef COSINES_SEGMENT
#define COSINES_SEGMENT 8192 /* samples of a row, or, if that is more, of so many reaches: */
#define COSINES_REACHES 4    /* the columns on either side take time too */
#define COSINES_BAND 8192    /* rows that a recursion goes down */
#define COSINES_ENOUGH 1e-7  /* grey levels: such an error of a series costs no time in repairs */
#define COSINES_USEFUL 0.02  /* of the bound, see useful_bound() */
#endif

/* What all threads share, in place: axes point into it. */
struct cosines_plan {
    struct cosines_axis x, y;
    uint32_t middle;                /* at least as far from 0 as from maxval */
    double whole;                   /* the middle times all weights, in grey levels */
    double bound;                   /* in grey levels */
    double taps[2][MAX_DIRECT + 1]; /* of x and y, where they are direct */
    struct image_boxes boxes;       /* for samples that are left unresolved */
};

/* Samples of a segment of a row: whole pixels, all but the last segment alike. */
int64_t cosines_segment(const struct request *request);

/* How far sums of an axis are off, of numbers from -1 to 1, of so many pixels or rows. */
double cosines_error(const struct cosines_axis *axis, int64_t steps);

/* Fills *plan. False if the weights do not suit it. */
bool cosines_prepare(const struct request *request, struct cosines_plan *plan);

#endif
