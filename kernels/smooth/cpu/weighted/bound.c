/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/bound.h"

#include "kernels/smooth/cpu/doubles.h"

#include <float.h>
#include <math.h>

#define FLOAT_HALO 8 /* mean of both axes: above it too many samples stay unresolved */

bool smooth_weighted_in_floats(const struct job *job)
{
    return job->src.sample_bytes == 1 && job->halo_x + job->halo_y <= 2 * FLOAT_HALO;
}

/* u is 2^-24 or 2^-53. Samples, colours times alpha, and two of them added are exact: 17 bits with
 * floats, else 33. A pass rounds its weights, has halo + 1 products, each rounded, in as many
 * additions, and the second one folds: no term is rounded more than r = halo_x + halo_y + 8 times.
 * As nothing is negative the relative error of a sum is at most (1 + u)^r - 1, that of a quotient
 * of two sums below (2 r + 2) u and 5 % more. Adding 1/2 and the bound rounds a result below twice
 * maxval + 1 once more, and the comparison has them rounded: another 5 u of it. That is at most
 * 0.0075 with floats, and 2.5e-7 with doubles: where the weights sum to 4. */
double smooth_weighted_bound(const struct job *job)
{
    const double u = (smooth_weighted_in_floats(job) ? FLT_EPSILON : DBL_EPSILON) / 2;
    const double rounds = (double)(job->halo_x + job->halo_y + 8);
    const double sum_x = smooth_weights_sum(job->weights_x, job->halo_x);
    const double sum_y = smooth_weights_sum(job->weights_y, job->halo_y);
    const double colours = (2 * rounds + 2 + 5) * (job->maxval + 1.0);
    const double alpha = (rounds + 5) * (job->maxval * sum_x * sum_y + 1);

    return 1.05 * u * fmax(colours, alpha);
}
