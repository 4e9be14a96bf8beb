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

/* Of results whose sums are off by no more than `rounds` roundings by u: see below. */
static double bound_of(const struct job *job, double rounds, double u)
{
    const double sum_x = smooth_weights_sum(job->weights_x, job->halo_x);
    const double sum_y = smooth_weights_sum(job->weights_y, job->halo_y);
    const double colours = (2 * rounds + 2 + 1) * (job->maxval + 1.0);
    const double alpha = (rounds + 1) * (job->maxval * sum_x * sum_y + 1);

    return 1.01 * u * fmax(colours, alpha);
}

/* u is 2^-24 or 2^-53, M is maxval. Samples, colours times alpha, and two of them added are exact:
 * 17 bits with floats, else 33. How often a term of a sum is rounded at most:
 *
 *     along a row     the weight, the product, and halo_x additions; the sum starts with a product
 *     down a column   two rows added, the weight, the product, and halo_y additions; it starts
 *                     from 0
 *
 * r = halo_x + halo_y + 5 times. As nothing is negative the relative error of a sum is at most
 * (1 + u)^r - 1, and that of a colour's quotient, by a reciprocal that is rounded, and a product
 * that may be, less than (2 r + 2) u. Adding 1/2 and the bound rounds these two and the result,
 * which is below M + 1: (M + 1) u with floats. Estimates in doubles have 2^20 added, and are
 * rounded by up to 2^-33, and this number too. Alpha has no quotient, and can exceed M where the
 * weights sum to more than 1, but an estimate above M + 1 is cut to M. One hundredth more covers
 * the products of two of these. The sum is at most 0.0065 with floats, and 2.4e-7 with doubles:
 * where the weights of both axes sum to 4. So it never reaches 1/2, and an estimate stays below
 * 2^31. */
double smooth_weighted_bound(const struct job *job)
{
    const double rounds = (double)(job->halo_x + job->halo_y + 5);

    return smooth_weighted_in_floats(job) ? bound_of(job, rounds, FLT_EPSILON / 2)
                                          : bound_of(job, rounds, DBL_EPSILON / 2) + 0x1p-32;
}

double smooth_weighted_window_bound(const struct job *job)
{
    return bound_of(job, 2.0 * (double)(job->halo_x + job->halo_y) + 2, DBL_EPSILON / 2);
}
