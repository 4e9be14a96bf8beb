/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/cpu/weighted/bound.h"

#include <float.h>
#include <math.h>

#define FLOAT_HALO 8 /* above it too many samples stay unresolved */

bool smooth_weighted_in_floats(const struct job *job)
{
    return job->src.sample_bytes == 1 && job->halo <= FLOAT_HALO;
}

/* u is 2^-24 or 2^-53. Samples, colours times alpha, and two of them added are exact: 17 bits with
 * floats, else 33. A pass rounds its weights, has halo + 1 products, each rounded, in as many
 * additions, and the second one folds: no term is rounded more than r = 2 (halo + 4) times. As
 * nothing is negative the relative error of a sum is at most (1 + u)^r - 1, that of a quotient of
 * two sums below (2 r + 2) u and 5 % more. Adding 1/2 and the bound rounds a result below twice
 * maxval + 1 once more, and the comparison has them rounded: another 5 u of it. That is at most
 * 0.0075 with floats, and 2.5e-7 with doubles: where the weights sum to 4. */
double smooth_weighted_bound(const struct job *job)
{
    const double u = (smooth_weighted_in_floats(job) ? FLT_EPSILON : DBL_EPSILON) / 2;
    const double rounds = 2.0 * (double)(job->halo + 4);
    double sum = 0;

    for (int64_t k = 0; k <= 2 * job->halo; k++)
        sum += (double)job->weights[k] * 0x1p-46;
    const double colours = (2 * rounds + 2 + 5) * (job->maxval + 1.0);
    const double alpha = (rounds + 5) * (job->maxval * sum * sum + 1);

    return 1.05 * u * fmax(colours, alpha);
}
