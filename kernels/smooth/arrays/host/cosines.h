/* SPDX-License-Identifier: MIT */
/* For images with large halos, the first estimates are made by recursions (series.h) in place of
 * passes that multiply by each tap. The cost of a recursion does not grow with the halo. Where
 * recursions go down the columns, a tile, the part of the result that is computed at a time, has
 * ARRAY_ROWS rows, and the recursions go on from a tile to the one below it.
 *
 * The error bound: let no sample exceed X. Let S be the sum of an axis' weights, d the sum of
 * |weight - value of the series of cosines|, and r X the error that each of the N steps of a
 * recursion adds (series.h). Then a column's sum is off by at most E = (d + N r) X, and is smaller
 * than Z = S X + E. A row's sum is off by at most (d + N r) Z for its own axis, plus E (S + d) for
 * the errors of the columns. An axis with a small halo h is summed by its taps: d = (2 h + 8) S u,
 * with u = 2^-53 (bounds.h). */
#ifndef SMOOTHIMG_ARRAYS_COSINES_H
#define SMOOTHIMG_ARRAYS_COSINES_H

#include "kernels/smooth/arrays/host/array.h"

/* A tile's row has at most `segment` samples, or `reaches` times halo_x pixels if that is more,
 * since each row also takes time for halo_x pixels on each side. A recursion down the columns
 * begins anew after `band` rows, since its errors add up. Groups of cosines are added to a series
 * until its error is at most `enough` grey levels, so that the bound of the error proves the
 * rounding of nearly all samples. Sums of cosines save time if their error bound is at most
 * `useful` divided by the number of taps (cosines.c). Tests set other limits, with which small
 * images have several tiles and the series are inaccurate. */
struct cosines_limits {
    int64_t segment, reaches, band;
    double enough, useful;
};

extern const struct cosines_limits cosines_limits;

/* The engine's state for one request, which make() of struct engine makes. It cannot be copied,
 * since `images` points to `cosines`. */
struct cosines_state {
    struct image_state images;
    struct array_cosines cosines;
};

/* Returns a bound on the error of sums along an axis, if the numbers that are summed are from -1 to
 * 1 and a recursion has made `steps` steps (pixels or rows). */
double cosines_error(const struct cosine_series *series, int64_t steps);

/* Makes the state, for arrays_of_images_run(). Returns false if no series of cosines is near enough
 * to the weights to save time. */
bool cosines_state_make(const struct request *request, const struct cosines_limits *limits,
                        struct cosines_state *state);

#endif
