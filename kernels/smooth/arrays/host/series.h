/* SPDX-License-Identifier: MIT */
/* Approximates the weights of an axis by a sum of few cosines, and bounds the error of that sum.
 *
 * A Gaussian repeated with the period 2 L and alternating signs is a sum of cosines,
 *
 *     w'(k) = sum over m of a(m) cos(t(m) k),   t(m) = pi (m + 1/2) / L,
 *     a(m)  = w(0) sigma sqrt(2 pi) / L exp(-(t(m) sigma)^2 / 2),
 *
 * of which few matter: with twelve cosines no weight is off by more than 2.4e-12 w(0), for a halo h
 * of 3 sigma. L is so large that within the halo the neighbouring copies of the Gaussian are as
 * small as the cosines that are left out. sigma and w(0) are fitted to the integer weights. A poor
 * fit does not make results wrong: `off`, the sum of the weights' errors, is measured weight by
 * weight, and is part of the error bound.
 *
 * For one cosine, the sum y(n) over the window at sample x(n) follows by a recursion from the sum
 * at x(n - 1). Its cost does not depend on the halo h:
 *
 *     y(n) = a sum of cos(t k) x(n + k), k = -h..h        d(n) = y(n) - y(n - 1)
 *     d(n+1) = d(n) - (2 - 2 cos t) y(n) + a cos(t h) (x(n+h+1) + x(n-h-1))
 *                                        - a cos(t (h+1)) (x(n+h) + x(n-h))
 *     y(n+1) = y(n) + d(n+1)
 *
 * The recursion begins with y = d = 0, before the first window: it reads 0 for every sample there.
 *
 * Next, the bound on the recursion's rounding errors is derived, for samples from -X to X, with
 * u = 2^-53 and W = 2 h + 1. |y| is at most a W X and |d| at most a X (t W + 2): W - 1 differences
 * of neighbouring cosines, and two ends. A step rounds d three times, to less than |d| + 2 a X, |d|
 * + 4 a X and |d|. It rounds three products (if not fused) of at most 2 a X, 2 a X and t^2 |y|, and
 * the sums of two samples (if these are sums of columns). The errors of the three factors are 4 u
 * a, 4 u a and, relatively, 8 u. Together a step adds to d:
 *     e = u (3 |d| + 30 a X + 9 t^2 |y|)
 * It rounds y once: u |y|. In later steps an error in d oscillates with an amplitude of at most e /
 * sin t, and an error in y with u |y| / cos(t / 2). So each step adds at most `rounding` X to the
 * error. No t exceeds 1.
 *
 * A term is one of the cosines; a group is GROUP_TERMS terms. */
#ifndef SMOOTHIMG_ARRAYS_SERIES_H
#define SMOOTHIMG_ARRAYS_SERIES_H

#include "kernels/common/axes.h"

#define GROUP_TERMS 4 /* terms whose states are in registers at a time */
#define MAX_GROUPS 5

/* The factors of the recursions of GROUP_TERMS terms. */
struct cosine_group {
    double feedback[GROUP_TERMS]; /* 2 - 2 cos t */
    double outer[GROUP_TERMS];    /* a cos(t h) */
    double inner[GROUP_TERMS];    /* -a cos(t (h + 1)) */
};

struct cosine_series {
    int64_t halo; /* reach of the weights that are not 0 */
    int groups;
    struct cosine_group group[MAX_GROUPS];
    double sum; /* sum of the weights as real numbers */
    /* The sum over k of |w'(k) - w(k)|, where w' is the series and w are the weights as real
     * numbers; plus the rounding errors of summing the terms. */
    double off;
    double rounding; /* a step adds at most `rounding` X to the error, for samples from -X to X */
};

/* The plan of the passes by recursions, for an image with large halos (cosines.h). Each number is
 * one double. */
struct array_cosines {
    /* [0]: for the columns; [1]: for the rows. If a series has no groups, the pass multiplies by
     * each tap instead. */
    struct cosine_series series[2];
    double bound;    /* error bound of a result, in grey levels */
    int64_t segment; /* pixels of a tile's row */
    int64_t band;    /* rows after which the columns' recursions begin anew */
};

/* True if recursions take the place of the pass down the columns (axis is 0) or along the rows
 * (axis is 1). False if cosines is NULL. */
static inline bool cosines_replace(const struct array_cosines *cosines, int axis)
{
    return cosines && cosines->series[axis].groups > 0;
}

/* Approximates the weights `all` by cosines. Uses the fewest groups of cosines that make `off` at
 * most `enough`; if no number of groups does, uses the number that makes `off` least. Returns false
 * if the halo is below MIN_HALO (series.c) or the weights are too far from a Gaussian. Sets
 * series->halo and series->sum in any case. */
bool cosine_series_fit(struct axis_weights all, double enough, struct cosine_series *series);

#endif
