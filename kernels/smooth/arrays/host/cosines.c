/* SPDX-License-Identifier: MIT */
#include "kernels/smooth/arrays/host/cosines.h"

#include "kernels/common/axes.h"
#include "kernels/common/numbers.h"

#include <float.h>
#include <math.h>

/* The weights are rounded to integers, so no series reaches a smaller error `off` (series.h). */
#define LEAST_OFF 3e-11
#define MOST_OF_TAPS 64 /* the largest halo of an axis that is summed by its taps */
#define MORE_STEPS 64   /* allowance for steps beyond a row or column: recursions run in blocks */

const struct cosines_limits cosines_limits = {8192, 4, 8192, 1e-7, 0.02};

double cosines_error(const struct cosine_series *series, int64_t steps)
{
    return series->off + (double)(steps + 2 * series->halo + MORE_STEPS) * series->rounding;
}

/* Fits a series of cosines to the weights of an axis. If none fits, the axis is summed by its taps,
 * and series->off becomes the error of these sums. Returns false if none fits and the halo is above
 * MOST_OF_TAPS. */
static bool fit(struct axis_weights weights, double enough, struct cosine_series *series)
{
    if (cosine_series_fit(weights, enough, series))
        return true;
    series->groups = 0;
    series->off = (double)(2 * series->halo + 8) * series->sum * (DBL_EPSILON / 2);
    series->rounding = 0;
    return series->halo <= MOST_OF_TAPS;
}

bool cosines_state_make(const struct request *request, const struct cosines_limits *limits,
                        struct cosines_state *state)
{
    struct array_cosines *const cosines = &state->cosines;
    struct cosine_series *const y = &cosines->series[0], *const x = &cosines->series[1];
    const int64_t channels = request->src.channels, width = request->src.width;
    const int64_t most = max(limits->segment / channels, limits->reaches * request->halo_x);
    const int64_t segments = (width - 1) / max(most, 1) + 1;
    const double enough = fmax(limits->enough / request->maxval, LEAST_OFF);
    double column, row;

    if (!fit(weights_down(request), enough, y))
        return false;
    *x = *y;
    if (!axes_are_equal(request) && !fit(weights_along(request), enough, x))
        return false;
    if (y->groups + x->groups == 0)
        return false;
    cosines->segment = (width - 1) / segments + 1;
    cosines->band = limits->band;
    column = cosines_error(y, min(request->src.height, cosines->band)) * request->maxval;
    row = cosines_error(x, cosines->segment);
    cosines->bound = row * (y->sum * request->maxval + column) + column * (x->sum + x->off);
    image_state_make(request, cosines, &state->images);
    /* The share of samples that stay unresolved is about 2 * bound, and the time to compute one of
     * them again is proportional to the number of taps. A bound of 1/2 would prove no rounding at
     * all. */
    return cosines->bound <=
           fmin(limits->useful / (double)((request->halo_x + request->halo_y) * channels), 0.25);
}
