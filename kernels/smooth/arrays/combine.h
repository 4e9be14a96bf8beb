/* SPDX-License-Identifier: MIT */
/* Combines the terms of a filter, each of which is a product of one filter for each axis. The
 * result is their sum, or the square root of the sum of their squares, in one double or two, on the
 * host and on GPUs.
 *
 * A number in two doubles is value + rest: the lower double, `rest`, is small beside the upper
 * one. */
#ifndef SMOOTHIMG_ARRAYS_COMBINE_H
#define SMOOTHIMG_ARRAYS_COMBINE_H

#include "kernels/common/host_device.h"

#include <math.h>
#include <stdbool.h>

/* An estimate of a sum of products is value + rest: the double `rest` holds the part that `value`
 * cannot hold. `magnitude` is for square roots only: it is 0 if all samples are 0, and
 * combine_root() makes it infinite if no rounding of the root is proven. */
struct real {
    double value, rest, magnitude;
};

/* Returns a b, rounded. CUDA's compiler might fuse a plain product with a later addition, which
 * would not round it. */
HOST_DEVICE double product_of(double a, double b)
{
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}

/* Returns a + b, and the rounding error of that sum in *rest (Knuth). */
HOST_DEVICE double sum_of(double a, double b, double *rest)
{
    const double sum = a + b, b1 = sum - a;

    *rest = (a - (sum - b1)) + (b - b1);
    return sum;
}

/* Returns the error bound of a mean whose magnitude is at most `size`, without the rounding of the
 * division (bounds.h). sums: the error bound of the sum of weighted samples, divided by the
 * magnitude of the sum of weights; relative: the relative error bound of the sum of weights, at
 * most 1/4. */
HOST_DEVICE double combine_mean_error(double sums, double relative, double size)
{
    return 1.01 * (1 + 2 * relative) * (sums + size * relative);
}

/* Returns total + term, or total + term^2 if `squares`. wide: `total`, `term` and the sum are each
 * held in two doubles, value + rest; otherwise in `value` alone. */
HOST_DEVICE struct real combine_add(struct real total, struct real term, bool squares, bool wide)
{
    struct real sum = {0, 0, total.magnitude + term.magnitude};
    double added = term.value, added_rest = term.rest, lost;

    /* The square of value + lost is computed without lost^2, which is far below the error bound,
     * since `lost` is at most half a unit in the last place of `value` (bounds.h). */
    if (squares && wide) {
        const double value = sum_of(term.value, term.rest, &lost);

        added = product_of(value, value);
        added_rest = fma(value, value, -added) + 2 * value * lost;
    } else if (squares)
        added = product_of(term.value, term.value);
    sum.value = sum_of(total.value, added, &lost);
    if (wide)
        sum.rest = total.rest + lost + added_rest;
    return sum;
}

/* A square of at least this loses no bits to underflow: the last bits of its two doubles are above
 * 2^-1022. */
#define SAFE_SQUARE 0x1p-900

/* Returns the square root of a sum of squares. If the squares may have lost bits to underflow, the
 * magnitude becomes infinite, so that no rounding is proven. */
HOST_DEVICE struct real combine_root(struct real square, bool wide)
{
    const double found = sqrt(square.value), product = product_of(found, found);
    struct real root = {found, 0, square.magnitude};

    if (wide && found > 0) /* a step of Newton's method */
        root.rest =
            (square.value - product - fma(found, found, -product) + square.rest) / (2 * found);
    if (square.magnitude > 0 && !(square.value >= SAFE_SQUARE))
        root.magnitude = INFINITY;
    return root;
}

#endif
