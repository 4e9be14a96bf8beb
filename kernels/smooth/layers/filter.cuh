/* SPDX-License-Identifier: MIT */
/* The filter of smooth_layers, and the bound of its error.
 *
 * Weights are divided by the centre's, so that a sample of the centre needs no product; one factor
 * makes up for it in the end:
 *
 *     column = x(0) + sum of down(k) (x(-k) + x(k))
 *     total  = column(0) + sum of along(k) (column(-k) + column(k))
 *     v      = scale total,    scale = the two centres' weights, multiplied
 *
 * r = v rounded to a whole number is the sample if v is nearer to it than half a unit less the
 * bound; else the sample is unresolved. The distance v - r is computed with a single rounding.
 *
 * The bound. Let M be the greatest distance from the middle, and one more, which is more than all
 * errors so far; C = M (1 + 2 sum of down), T = C (1 + 2 sum of along); u(x) half the distance
 * between reals at x, which is also the error of a weight x. Sums of two samples are exact.
 *
 *     a column:  u(C) for each k, and 2 M u(down(k)) by the weights
 *     a total:   that of its columns, times T / C; along(k) u(2 C) and u(T) for each k, and
 *                2 C u(along(k)) by the weights
 *     v:         scale times that of the total, T u(scale), and u(1) for the distance
 *
 * A weight of 0 adds nothing and rounds nothing. 2^-10 of it are added for the divisions and
 * products of the host, in doubles. */
#ifndef SMOOTHIMG_LAYERS_FILTER_CUH
#define SMOOTHIMG_LAYERS_FILTER_CUH

#include "kernels/smooth/fused/filter.cuh"
#include "kernels/smooth/layers/numbers.cuh"

#define LAYERS_MAX_HALO 2
#define LAYERS_MOST_BOUND (1.0 / 64) /* beyond it, repairs would take longer than the rest */

template <typename Real> struct layers_filter {
    Real down[LAYERS_MAX_HALO + 1], along[LAYERS_MAX_HALO + 1]; /* by distance; [0] is unused */
    Real scale;
    Real limit; /* a distance from a whole number of that much is unresolved */
    uint64_t exact_down[LAYERS_MAX_HALO + 1], exact_along[LAYERS_MAX_HALO + 1];
    uint32_t maxval;
};

/* One pass over a window: load(k) is the number at distance k. */
template <int HALO, typename Real, typename Load>
__device__ __forceinline__ Real weigh(const Real (&ratios)[LAYERS_MAX_HALO + 1], const Load &load)
{
    Real sum = load(0);

#pragma unroll
    for (int k = 1; k <= HALO; k++)
        sum = fma(ratios[k], load(-k) + load(k), sum);
    return sum;
}

/* Half the distance between numbers of that many bits around x. */
static inline double half_ulp_of(double x, int precision)
{
    return ldexp(half_ulp(x), 53 - precision);
}

/* Fills in the weights of an axis, 0 beyond its halo. Returns the sum of those beside the centre's.
 */
template <typename Real>
static double set_ratios(const axis_weights &axis, Real (&ratios)[LAYERS_MAX_HALO + 1],
                         uint64_t (&exact)[LAYERS_MAX_HALO + 1])
{
    double sum = 0;

    for (int64_t k = 0; k <= LAYERS_MAX_HALO; k++) {
        exact[k] = k <= axis.halo ? axis.weights[axis.halo + k] : 0;
        ratios[k] = k <= axis.halo ? (Real)(axis.at(k) / axis.at(0)) : 0;
        sum += k ? 2 * (double)ratios[k] : 0;
    }
    return sum;
}

/* In grey levels. down and along: the sums of set_ratios(). */
template <typename Sample>
static double layers_bound(const layers_filter<typename layer_numbers<Sample>::real> &filter,
                           double down, double along)
{
    constexpr int bits = layer_numbers<Sample>::precision;
    const double most = layer_numbers<Sample>::middle + 1, column = most * (1 + down);
    const double total = column * (1 + along);
    double of_column = 0, of_total = 0;

    for (int k = 1; k <= LAYERS_MAX_HALO; k++) {
        if (filter.down[k] > 0)
            of_column += half_ulp_of(column, bits) + 2 * most * half_ulp_of(filter.down[k], bits);
        if (filter.along[k] > 0)
            of_total += half_ulp_of(total, bits) + filter.along[k] * half_ulp_of(2 * column, bits) +
                        2 * column * half_ulp_of(filter.along[k], bits);
    }
    of_total += of_column * (1 + along);
    return (1 + 1.0 / 1024) * (filter.scale * of_total + total * half_ulp_of(filter.scale, bits) +
                               half_ulp_of(1, bits));
}

/* Fills *filter. Returns false if the bound leaves too much unresolved. */
template <typename Sample>
static bool make_layers_filter(const struct job *job,
                               layers_filter<typename layer_numbers<Sample>::real> *filter)
{
    typedef typename layer_numbers<Sample>::real real;
    const axis_weights down = weights_down(job), along = weights_along(job);

    if (down.at(0) == 0 || along.at(0) == 0)
        return false;
    const double sum_down = set_ratios(down, filter->down, filter->exact_down);
    const double sum_along = set_ratios(along, filter->along, filter->exact_along);

    filter->scale = (real)(down.at(0) * along.at(0));
    const double bound = layers_bound<Sample>(*filter, sum_down, sum_along);
    const double limit = 0.5 - bound;

    filter->limit = (real)(limit * (1 - ldexp(1, 2 - layer_numbers<Sample>::precision)));
    filter->maxval = job->maxval;
    return bound <= LAYERS_MOST_BOUND;
}

#endif
