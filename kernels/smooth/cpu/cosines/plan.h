/* SPDX-License-Identifier: MIT */
/* A filter as sums of cosines, and the bound on the error of a result.
 *
 * X, the middle of all grey levels, is subtracted from each sample, so that no magnitude exceeds X.
 * At the end X times the sum of all weights is added.
 *
 * The bound: let S be the sum of an axis' weights, d the sum of the differences between its
 * cosines and them, and r X the error that each of N steps of a recursion adds (series.h). Then
 * a column's sum is off by at most E = (d + N r) X, and is smaller than Z = S X + E. A row's sum
 * is off by (d + N r) Z for its own axis, and by E (S + d) for the errors of the columns. An
 * axis with a small halo is summed directly: each term is rounded halo + 2 times, once in its
 * product and halo + 1 times in sums.
 *
 * A sample is unresolved if the bound does not prove its rounding. Rows are cut into segments,
 * each computed from top to bottom. */
#ifndef SMOOTHIMG_SMOOTH_COSINES_PLAN_H
#define SMOOTHIMG_SMOOTH_COSINES_PLAN_H

#include "kernels/smooth/arrays/of_images.h"
#include "kernels/smooth/cpu/cosines/loops.h"
#include "kernels/variant.h"

/* Tests define smaller values, so that small images have several segments and the series fit
 * poorly. */
#ifndef COSINES_SEGMENT
/* A segment has at most COSINES_SEGMENT samples. If its border is long, it has COSINES_REACHES
 * times as many samples as the border, since the border takes time too. */
#define COSINES_SEGMENT 8192
#define COSINES_REACHES 4
#define COSINES_BAND 8192 /* most rows that one recursion runs over, since its errors add up */
/* In grey levels: with this error there are hardly any repairs. */
#define COSINES_ENOUGH 1e-7
#define COSINES_USEFUL 0.02 /* see useful_bound() */
#endif

/* The data that all threads share. It cannot be copied: x.taps and y.taps point into it. */
struct cosines_plan {
    struct cosines_axis x, y;
    uint32_t middle;                /* (maxval + 1) / 2 */
    double whole;                   /* the middle times the sum of all weights, in grey levels */
    double bound;                   /* in grey levels */
    double taps[2][MAX_DIRECT + 1]; /* of x and y, if summed directly */
    struct image_boxes boxes;       /* to compute unresolved samples */
};

/* Returns the samples of a segment, in whole pixels. All but the last have the same length. */
int64_t cosines_segment(const struct request *request);

/* Returns the error of an axis' sums of numbers from -1 to 1, after `steps` pixels or rows. */
double cosines_error(const struct cosines_axis *axis, int64_t steps);

/* Fills *plan. Returns false if no series of cosines is near enough to the weights to save time. */
bool cosines_prepare(const struct request *request, struct cosines_plan *plan);

#endif
