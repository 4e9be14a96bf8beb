/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/gauss.h"

#include "kernels/common/exact.h"
#include "kernels/common/numbers.h"
#include "src/lib/filter/fixed.h"

#include <math.h>
#include <string.h>

/* Below it g(1) < exp(-200) counts as 0, and the analytic weights are far too large. */
#define MIN_SIGMA 0.05
/* Above it g(k) counts as 1: 2^46 g / S stays far enough from a half. */
#define MAX_SIGMA 0x1p60

int64_t filter_halo(const struct filter *filter)
{
    return max(filter->x.halo, filter->y.halo);
}

bool filter_is_even(const struct filter *filter)
{
    return filter->x.halo == filter->y.halo &&
           (filter->x.sigma == filter->y.sigma || filter->x.halo == 0);
}

double gauss_sigma(const struct filter_axis *axis)
{
    return axis->halo == 0 ? 0 : axis->sigma > 0 ? axis->sigma : (double)axis->halo / 3;
}

double gauss_halo_of(double sigma)
{
    const double product = 3 * sigma;
    const bool rounded_down_to_integer = product == ceil(product) && fma(3, sigma, -product) > 0;

    return ceil(product) + rounded_down_to_integer;
}

/* 1 / sigma, with the exact third where sigma is the default. */
static struct fixed inverse_sigma(const struct filter_axis *axis)
{
    if (axis->sigma > 0)
        return fixed_divide(fixed_of(1), fixed_of_double(fmin(axis->sigma, MAX_SIGMA)));
    return fixed_divide_by(fixed_of(3), (uint32_t)axis->halo);
}

/* g(k) for k = 0, 1, ...: with q = exp(-1 / (2 sigma^2)), g(k) = q^(k^2), and so
 * g(k + 1) = g(k) q^(2k + 1). q is off by less than 2^-230, g(k) by k^2 times as much: 2^-210. */
struct curve {
    struct fixed g, ratio, step; /* q^(k^2), q^(2k + 1), q^2 */
};

static struct curve curve_begin(struct fixed inverse)
{
    const struct fixed square = fixed_multiply(inverse, inverse);
    const struct fixed q = fixed_exp_negative(fixed_shift(square, -1));

    return (struct curve){fixed_of(1), q, fixed_multiply(q, q)};
}

static void curve_next(struct curve *curve)
{
    curve->g = fixed_multiply(curve->g, curve->ratio);
    curve->ratio = fixed_multiply(curve->ratio, curve->step);
}

/* What g is multiplied by, before its floor: 2^46 / S, or 2^46 / (sigma sqrt(2 pi)). */
static struct fixed scale_of(int64_t halo, enum norm norm, struct fixed inverse, struct curve curve)
{
    static const struct fixed inverse_root = {{0x02639d2e, 0xc0471b48, 0x512706d8, 0xd3829f30,
                                               0x2eae38bf, 0x3f2cf140, 0x50d94234, 0x662114cf, 0,
                                               0}};
    struct fixed scale, sum = fixed_of(0);

    for (int64_t k = 1; k <= halo; k++) {
        curve_next(&curve);
        sum = fixed_add(sum, curve.g);
    }
    scale = norm == NORM_ANALYTIC
                ? fixed_multiply(inverse_root, inverse) /* 1 / sqrt(2 pi) */
                : fixed_divide(fixed_of(1), fixed_add(fixed_of(1), fixed_shift(sum, 1)));
    return fixed_shift(fixed_shift(scale, WEIGHT_BITS / 2), WEIGHT_BITS - WEIGHT_BITS / 2);
}

/* floor(g scale + 1/2). What is floored is off by less than 2^-150. */
static uint64_t weight(struct fixed g, struct fixed scale)
{
    return fixed_floor(fixed_add(fixed_multiply(g, scale), fixed_shift(fixed_of(1), -1)));
}

/* Both halves of the table and the centre. Returns their sum. */
static uint64_t fill_table(const struct filter_axis *axis, enum norm norm, uint64_t *weights)
{
    const struct fixed inverse = inverse_sigma(axis);
    struct curve curve = curve_begin(inverse);
    const struct fixed scale = scale_of(axis->halo, norm, inverse, curve);
    uint64_t *centre = weights + axis->halo;
    uint64_t others = 0;

    centre[0] = weight(curve.g, scale);
    for (int64_t k = 1; k <= axis->halo; k++) {
        curve_next(&curve);
        centre[k] = centre[-k] = weight(curve.g, scale);
        others += 2 * centre[k];
    }
    if (norm == NORM_SUM)
        centre[0] = ((uint64_t)1 << WEIGHT_BITS) - others;
    return others + centre[0];
}

enum status gauss_weights(const struct filter_axis *axis, enum norm norm, uint64_t *weights,
                          struct error *error)
{
    const bool is_point = axis->halo == 0 || gauss_sigma(axis) < MIN_SIGMA;
    uint64_t total = (uint64_t)1 << WEIGHT_BITS;

    memset(weights, 0, (size_t)(2 * axis->halo + 1) * sizeof *weights);
    weights[axis->halo] = total;
    if (!is_point)
        total = fill_table(axis, norm, weights);
    else if (axis->halo > 0 && norm == NORM_ANALYTIC)
        total = UINT64_MAX;
    if (total >= (uint64_t)4 << WEIGHT_BITS)
        return fail(error, STATUS_INVALID,
                    "the analytic norm with sigma %g would make flat areas more than 4 times as "
                    "bright in each direction, beyond what its sums can hold",
                    gauss_sigma(axis));
    return STATUS_OK;
}

int64_t filter_weights_halo(const struct filter_weights *weights)
{
    return max(weights->halo_x, weights->halo_y);
}

enum status filter_weights_make(const struct filter *filter, struct filter_weights *weights,
                                struct error *error)
{
    enum status status = gauss_weights(&filter->x, filter->norm, weights->x, error);

    weights->halo_x = filter->x.halo;
    weights->halo_y = filter->y.halo;
    weights->edge = filter->edge;
    weights->skip_nan = filter->nan == NAN_SKIP;
    weights->even = filter_is_even(filter);
    if (status == STATUS_OK && !weights->even)
        status = gauss_weights(&filter->y, filter->norm, weights->y, error);
    return status;
}

void job_set_filter(struct job *job, const struct filter_weights *weights)
{
    job->halo_x = weights->halo_x;
    job->halo_y = weights->halo_y;
    job->halo = filter_weights_halo(weights);
    job->edge = (int)weights->edge;
    job->skip_nan = weights->skip_nan && job->maxval == FLOAT_SAMPLES;
    job->weights_x = weights->x;
    job->weights_y = weights->even ? weights->x : weights->y;
}
