/* SPDX-License-Identifier: MIT */
/* Colours that alpha weighs, in doubles: what follows on the sums of smooth_doubles.h.
 *
 * A row's samples are widened, and its colours multiplied by their alpha, which is exact. The two
 * passes of the filter then give the definition's N for the colours, and A for alpha, in grey
 * levels; and their quotient is the result, rounded.
 *
 * Nothing in these sums is negative, so their relative errors are small however small they are: a
 * trace of alpha at the end of the window makes as good a colour as any. A quotient that is too
 * near to a half is computed again in integers. Halves do occur: half way between two pixels that
 * stand alone the mean of two colours is one, to the last bit. */
#ifndef SMOOTHIMG_SMOOTH_WEIGHTED_H
#define SMOOTHIMG_SMOOTH_WEIGHTED_H

#include "smooth_doubles.h"

/* How far the result may be from the exact one before it is rounded, in grey levels, if no term of
 * a sum is rounded more than `roundings` times: of a colour, or of alpha, whichever is more. */
double smooth_weighted_bound(const struct job *job, int64_t roundings);

/* Makes the segment of row y from its sums: rounded. sums is used up. */
void smooth_weighted_divide(const struct smooth_doubles *doubles, int64_t y, double *sums,
                            int32_t *rounded);

#endif
