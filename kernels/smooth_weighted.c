/* SPDX-License-Identifier: MIT */
#include "smooth_weighted.h"

#include "sample.h"
#include "smooth_weighted_exact.h"

#include <float.h>
#include <math.h>

/* As for smooth_doubles_bound: a colour times its alpha has 32 bits, folded 33, and is exact. The
 * quotient of two sums has the errors of both and its own rounding, and one more when 1/2 is added:
 * with u = 2^-53, (1 + u)^(r + 2) / (1 - u)^r - 1 < 1.05 (2 r + 2) u. It is at most maxval, and
 * starts from 1/2 and the bound. */
double smooth_weighted_bound(const struct job *job, int64_t roundings)
{
    const double colours =
        1.05 * (double)(2 * roundings + 2) * (job->maxval + 1.0) * (DBL_EPSILON / 2);

    return fmax(colours, smooth_doubles_bound(job, roundings + 2));
}

/* Where all of the window is transparent. divisors: 0 there, for each colour. */
static void keep_colours(const struct smooth_doubles *doubles, int64_t y, const double *divisors,
                         int32_t *rounded)
{
    const int32_t channels = doubles->job->src.channels;

    for (int64_t x = 0; x < doubles->n; x += channels)
        for (int32_t c = 0; c < channels - 1 && divisors[x] <= 0; c++)
            rounded[x + c] =
                (int32_t)sample_get(&doubles->job->src, y, (doubles->first + x) / channels, c);
}

/* Sample by sample, or all of the segment if that is less work: in the one case (2 halo + 1)^2
 * steps for each that is in doubt, in the other 2 (2 halo + 1) for every sample. */
static void repair(const struct smooth_doubles *doubles, int64_t y, const double *rests,
                   int32_t *rounded)
{
    const struct job *job = doubles->job;
    int64_t left = 2 * doubles->n / (2 * job->halo + 1); /* samples that may be in doubt */

    for (int64_t x = 0; x < doubles->n; x++) {
        if (rests[x] >= 2 * doubles->bound)
            continue;
        if (left-- == 0) {
            smooth_weighted_span(job, y, doubles->first, doubles->n, doubles->wide_columns,
                                 rounded);
            return;
        }
        rounded[x] = (int32_t)smooth_weighted_sample(job, y, doubles->first + x);
    }
}

void smooth_weighted_divide(const struct smooth_doubles *doubles, int64_t y, double *sums,
                            int32_t *rounded)
{
    int found;

    for (int64_t x = doubles->n; x < doubles->padded; x++)
        sums[x] = doubles->factors[x] = 1; /* whatever is no trouble */
    doubles->loops->spread_alpha(sums, doubles->step, doubles->factors, doubles->n);
    found =
        doubles->loops->divide(sums, doubles->factors, doubles->bound, rounded, doubles->padded);
    if (found & LOOPS_NO_ALPHA)
        keep_colours(doubles, y, doubles->factors, rounded);
    if (found & LOOPS_DOUBT)
        repair(doubles, y, sums, rounded);
}
