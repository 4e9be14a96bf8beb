/* SPDX-License-Identifier: MIT */
/* Converts a request's filter to the number formats of a form (fused/arithmetic.cuh), and computes
 * the bound of the error from the weights of each axis.
 *
 * A sample is unresolved if the bound does not prove its rounding. */
#ifndef SMOOTHIMG_FUSED_FILTER_CUH
#define SMOOTHIMG_FUSED_FILTER_CUH

#include "kernels/common/axes.h"
#include "kernels/smooth/fused/arithmetic.cuh"

/* Returns half the distance between doubles near x; 0 for 0, which needs no rounding. */
static inline double half_ulp(double x)
{
    return x > 0 ? ldexp(1, ilogb(x) - 53) : 0;
}

/* The limits of an error in grey levels: `least` is 0 or below, `most` 0 or above. */
struct error_limits {
    double least, most;
};

/* Adds the error of a product of two factors. One has the error of_factor; the other is from 0 to
 * `most`. */
static inline void add_error(error_limits *error, double of_factor, double most)
{
    (of_factor < 0 ? error->least : error->most) += of_factor * most;
}

/* Properties of the sums down the columns. The pass along the rows depends on them. */
struct column_sums {
    double scale; /* how many units of a sum are one grey level */
    double error; /* bound on a sum's error, in grey levels */
    /* How far a double exceeds the sum that it holds, in the sum's units; 0 if sums are
     * integers. */
    double offset;
};

/* For 8 bits: multiplies the weights by the greatest scale that keeps a sum below 2^31, and rounds
 * them to integers. The returned error bound holds for all samples up to maxval. */
template <int N>
static column_sums make_columns(const struct request *request, fused_filter<form_bytes, N> *filter)
{
    const axis_weights weights = weights_down(request);
    const double room = 2147483647.0 / request->maxval - (double)(2 * request->halo_y + 1);
    column_sums columns = {floor(room / axis_sum(weights)), 0, 0};

    for (int64_t k = 0; k <= weights.halo; k++) {
        filter->columns[k] = (uint32_t)floor(columns.scale * axis_weight(weights, k) + 0.5);
        columns.error += (k ? 2 : 1) * request->maxval *
                         fabs(filter->columns[k] / columns.scale - axis_weight(weights, k));
    }
    return columns;
}

/* For 16 bits: the weights are exact doubles. A sum is rounded halo_y + 1 times, each time at a
 * value below `most`; the error is the sum of these roundings. */
template <int N>
static column_sums make_columns(const struct request *request, fused_filter<form_words, N> *filter)
{
    const axis_weights weights = weights_down(request);
    /* Rows at the same distance are added before they are multiplied, so a pair of rows has one
     * offset, 2^20. */
    const double half = (axis_sum(weights) + axis_weight(weights, 0)) / 2;
    const double most = half * 1048576 + axis_sum(weights) * request->maxval + 1;

    for (int64_t k = 0; k <= weights.halo; k++)
        filter->columns[k] = axis_weight(weights, k);
    return {1, (double)(weights.halo + 1) * half_ulp(most), half * 1048576};
}

/* Makes the filter from weights that sum to one. A total is base + t with base = 2^20, which puts
 * the integer part of t into fixed bits of the double (arithmetic.cuh). A double that holds a
 * column's sum exceeds that sum by an offset. `above` is the weighted sum of these offsets, in grey
 * levels. For 8 bits the two sums at the same distance share one offset, since they are added
 * before they are multiplied. The bound on |error| is below 10^-4 grey levels at halos 1 and 2; it
 * is added to the offset of the totals, in whole units of their fraction. */
template <class Form, int HALO>
static fused_filter<Form, HALO + 1> make_filter(const struct request *request)
{
    const axis_weights weights = weights_along(request);
    const double base = 1048576, sum = axis_sum(weights),
                 all = sum * axis_sum(weights_down(request));
    fused_filter<Form, HALO + 1> filter = {};
    const column_sums columns = make_columns(request, &filter);
    const double own = columns.offset > 0 ? columns.offset : ldexp(1, 52);
    double above = 0;

    for (int64_t k = 0; k <= weights.halo; k++) {
        const int times = k == 0 || columns.offset == 0 ? 1 : 2;

        filter.rows[k] = axis_weight(weights, k) / columns.scale;
        above += times * filter.rows[k] * own;
    }

    /* The factor counts the roundings: one for each tap and each weight, and the roundings of
     * `above` and of the offset. */
    const double bound = columns.error * sum +
                         (6 * (double)weights.halo + 6) * half_ulp(2 * (above + base * (all + 1)));
    const double whole_ulps = ceil(ldexp(bound, 32));

    filter.offset = base - above + 0.5 + ldexp(whole_ulps, -32);
    filter.unresolved = (uint32_t)(2 * whole_ulps) + 2;
    return filter;
}

#endif
