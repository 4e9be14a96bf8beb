/* SPDX-License-Identifier: MIT */
/* Chooses a series of cosines for each axis, and computes the bound on the error of a result
 * (plan.h). */
#include "kernels/smooth/cpu/cosines/plan.h"

#include "kernels/common/axes.h"
#include "kernels/common/numbers.h"

#include <float.h>
#include <math.h>

/* Weights are rounded to integers, so no series can be nearer to them than this. */
#define LEAST_OFF 3e-11

int64_t cosines_segment(const struct request *request)
{
    const int64_t step = request->src.channels, samples = request->src.width * step;
    const int64_t most = max(COSINES_SEGMENT, COSINES_REACHES * request->halo_x * step);
    const int64_t count = (samples - 1) / most + 1;

    return ((request->src.width - 1) / count + 1) * step;
}

/* Fits a series to the weights of an axis, or uses them as they are. */
static bool set_axis(const uint64_t *weights, int64_t halo, uint32_t maxval, double *taps,
                     struct cosines_axis *axis)
{
    const double enough = fmax(COSINES_ENOUGH / maxval, LEAST_OFF);

    axis->direct = !cosine_series_fit(weights, halo, enough, &axis->series);
    axis->halo = axis->series.halo;
    axis->taps = taps;
    for (int64_t k = 0; axis->direct && k <= min(axis->halo, MAX_DIRECT); k++)
        taps[k] = (double)weights[halo + k] * 0x1p-46;
    if (axis->direct) {
        axis->series.groups = 0;
        axis->series.sum = (double)axis_sum(weights, halo) * 0x1p-46;
        axis->series.off = (double)(axis->halo + 4) * axis->series.sum * (DBL_EPSILON / 2);
        axis->series.rounding = 0;
    }
    return axis->halo <= MAX_DIRECT || !axis->direct;
}

double cosines_error(const struct cosines_axis *axis, int64_t steps)
{
    return axis->series.off +
           (double)(steps + 2 * axis->halo + 2 * LINE_STEP) * axis->series.rounding;
}

/* Returns the bound (plan.h). Its last term covers the rounding of `whole` and the rounding errors
 * when `whole`, 1/2 and the bound are added to a sum. */
static double bound_of(const struct request *request, const struct cosines_plan *plan)
{
    const double x = cosines_error(&plan->x, cosines_segment(request) / request->src.channels);
    const double y = cosines_error(&plan->y, min(request->src.height, COSINES_BAND));
    const double column = y * plan->middle, size = plan->y.series.sum * plan->middle + column;

    return x * size + column * (plan->x.series.sum + plan->x.series.off) +
           4 * DBL_EPSILON * (2 * plan->whole + 1);
}

/* Returns the greatest bound that still saves time. About 2 * bound of all samples are unresolved,
 * and the repair of one takes time in proportion to `taps`. A bound of 1/2 would prove nothing. */
static double useful_bound(const struct request *request)
{
    const double taps = (double)(request->halo_x + request->halo_y) * request->src.channels;

    return fmin(COSINES_USEFUL / taps, 0.25);
}

bool cosines_prepare(const struct request *request, struct cosines_plan *plan)
{
    if (!set_axis(request->weights_x, request->halo_x, request->maxval, plan->taps[0], &plan->x))
        return false;
    plan->y = plan->x;
    if (!axes_are_equal(request) &&
        !set_axis(request->weights_y, request->halo_y, request->maxval, plan->taps[1], &plan->y))
        return false;
    if (plan->x.direct && plan->y.direct)
        return false;
    plan->middle = (request->maxval + 1) / 2;
    plan->whole = plan->x.series.sum * plan->y.series.sum * plan->middle;
    plan->bound = bound_of(request, plan);
    image_boxes_make(request, LINES, cosines_segment(request) / request->src.channels,
                     &plan->boxes);
    return plan->bound <= useful_bound(request);
}
