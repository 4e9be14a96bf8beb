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
#define COSINES_SEGMENT 8192 /* samples of a segment, unless this many times the reach is more: */
#define COSINES_REACHES 4    /* since the columns on either side take time too */
#define COSINES_BAND 8192    /* rows that a recursion goes down */
/* Grey levels: a series with such an error costs no time in repairs. */
#define COSINES_ENOUGH 1e-7
#define COSINES_USEFUL 0.02 /* of the bound, see useful_bound() */
#endif

/* The data that all threads share, in place: axes point into it. */
struct cosines_plan {
    struct cosines_axis x, y;
    uint32_t middle;                /* at least as far from 0 as from maxval */
    double whole;                   /* the middle times all weights, in grey levels */
    double bound;                   /* in grey levels */
    double taps[2][MAX_DIRECT + 1]; /* of x and y, where they are direct */
    struct image_boxes boxes;       /* for samples that are left unresolved */
};

/* Returns the samples of a segment of a row, in whole pixels. All segments but the last have the
 * same length. */
int64_t cosines_segment(const struct request *request);

/* Returns the error of an axis' sums of numbers from -1 to 1, over so many pixels or rows. */
double cosines_error(const struct cosines_axis *axis, int64_t steps);

/* Fills *plan. Returns false if the weights do not allow it. */
bool cosines_prepare(const struct request *request, struct cosines_plan *plan);

#endif
