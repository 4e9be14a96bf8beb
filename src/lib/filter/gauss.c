/* SPDX-License-Identifier: MIT */
#include "src/lib/filter/gauss.h"

#include "kernels/common/arrays.h"
#include "kernels/common/exact.h"
#include "kernels/common/numbers.h"
#include "src/lib/filter/fixed.h"

#include <math.h>
#include <string.h>

/* Below this sigma, g(1) = exp(-1 / (2 sigma^2)) is less than exp(-200) and counts as 0, and
 * analytic weights are too large. */
#define MIN_SIGMA 0.05
/* This sigma replaces any larger one, which gives the same weights. The Gaussian g(k), defined
 * below, is then so close to 1 that 2^62 g(k) / S rounds to the same integer for both sigmas, where
 * S is the sum of all g(k). The analytic weight, 2^62 g(k) / (sigma sqrt(2 pi)), rounds to 0 for
 * both. */
#define MAX_SIGMA 0x1p62

double gauss_sigma(const struct filter_axis *axis)
{
    return axis->halo == 0 ? 0 : axis->sigma > 0 ? axis->sigma : (double)axis->halo / 3;
}

double gauss_halo_of(double sigma)
{
    return floor(4 * sigma + 0.5);
}

/* Fills g[0..halo] with the Gaussian g(k) = exp(-k^2 / (2 sigma^2)), one k after the other. Let q
 * be exp(-1 / (2 sigma^2)):
 *
 *     g(k) = q^(k^2),   g(k + 1) = g(k) q^(2k + 1)
 *
 * The error of q is below 2^-230. The error of g(k) is k^2 times as large: at most 2^-210, since k
 * is at most 1024. Returns the factor that makes g(k) a weight: 1 / S, where S is the sum of g(k)
 * for k = -halo..halo, or 1 / (sigma sqrt(2 pi)) for NORM_ANALYTIC. `inverse` is 1 / sigma,
 * `curvature` its square. */
static struct fixed curve_of(int64_t halo, enum norm norm, struct fixed inverse,
                             struct fixed curvature, struct fixed *g)
{
    static const struct fixed inverse_root = {{0x02639d2e, 0xc0471b48, 0x512706d8, 0xd3829f30,
                                               0x2eae38bf, 0x3f2cf140, 0x50d94234, 0x662114cf, 0,
                                               0}};                         /* 1 / sqrt(2 pi) */
    struct fixed ratio = fixed_exp_negative(fixed_divide_by(curvature, 2)); /* q^(2k + 1) */
    const struct fixed step = fixed_multiply(ratio, ratio), one = fixed_of(1);
    struct fixed sum = fixed_of(0);

    g[0] = one;
    for (int64_t k = 1; k <= halo; k++) {
        g[k] = fixed_multiply(g[k - 1], ratio);
        ratio = fixed_multiply(ratio, step);
        sum = fixed_add(sum, g[k]);
    }
    return norm == NORM_ANALYTIC ? fixed_multiply(inverse_root, inverse)
                                 : fixed_inverse(fixed_add(one, fixed_add(sum, sum)));
}

/* A number with a sign. */
struct term {
    struct fixed magnitude;
    bool negative;
};

static struct term term_add(struct term a, struct term b)
{
    if (a.negative == b.negative)
        return (struct term){fixed_add(a.magnitude, b.magnitude), a.negative};
    if (fixed_is_less(&a.magnitude, &b.magnitude))
        return (struct term){fixed_subtract(b.magnitude, a.magnitude), b.negative};
    return (struct term){fixed_subtract(a.magnitude, b.magnitude), a.negative};
}

/* Returns q_n(k) for n = order: the n-th derivative of the Gaussian at k, divided by the Gaussian
 * (gauss.h). It is computed by Hermite's recurrence, q_{d+1} = -curvature (k q_d + d q_{d-1}), with
 * q_0 = 1 and curvature = 1 / sigma^2. */
static struct term polynomial(int order, int64_t k, struct fixed curvature)
{
    const struct fixed zero = {{0}};
    struct term last = {zero, false}, q = {fixed_of(1), false};

    /* With a large sigma and a high order, both q and last become 0 long before d reaches `order`,
     * and stay 0. */
    for (int d = 0;
         d < order && (fixed_is_less(&zero, &q.magnitude) || fixed_is_less(&zero, &last.magnitude));
         d++) {
        const struct term first = {fixed_multiply_by(q.magnitude, (uint32_t)k), q.negative};
        const struct term second = {fixed_multiply_by(last.magnitude, (uint32_t)d), last.negative};
        const struct term sum = term_add(first, second);

        last = q;
        q = (struct term){fixed_multiply(sum.magnitude, curvature), !sum.negative};
    }
    return q;
}

/* Returns floor(2^bits a + 1/2), for bits from 1 to 63. */
static uint128 fixed_round(struct fixed a, int bits)
{
    struct fixed half = {{0}}; /* 2^(-1 - bits) */
    uint64_t fraction;

    half.limb[(32 * FIXED_FRACTION - 1 - bits) / 32] = (uint32_t)1 << (31 - bits % 32);
    a = fixed_add(a, half);
    fraction = (uint64_t)a.limb[FIXED_FRACTION - 1] << 32 | a.limb[FIXED_FRACTION - 2];
    return u128_shift_right(u128_of(fixed_floor(a), fraction), 64 - (unsigned)bits);
}

/* The greatest allowed value of the polynomial q_order (the derivative of the Gaussian divided by
 * the Gaussian, gauss.h), times the factor of the weights if that is above 1. With 62 bits after
 * the point it has fewer than ARRAY_WEIGHT_BITS bits. */
#define MOST_POLYNOMIAL 0x1p44

/* True if sigma is below MIN_SIGMA, or if the polynomial q_order is too large: its rounding would
 * change the weights, or its terms would not fit 64 bits. Where the Gaussian g(k) =
 * exp(-k^2 / (2 sigma^2)) is below 2^-256, it counts as 0. For all other k, k^2 / sigma^2 is at
 * most 2 log(2^256) = 355, so k < 19 sigma. */
static bool is_too_large(const struct filter_axis *axis, double sigma, int order, double factor)
{
    const double reach = fmin((double)axis->halo, 19 * sigma) / sigma + order;

    return sigma < MIN_SIGMA || pow(reach / sigma, order) * fmax(factor, 1) > MOST_POLYNOMIAL;
}

/* Sets the centre's weight so that all weights sum to 1. A weight of at most 1 has at most 63
 * bits. */
static void complete(int64_t halo, int bits, struct array_weight *weights)
{
    uint64_t centre = UINT64_C(1) << bits;

    for (int64_t k = 1; k <= halo; k++)
        centre -= 2 * u128_low(weights[k].magnitude);
    weights[0].magnitude = u128_of(0, centre);
}

/* True if the sum of all weights is 4 or more. */
static bool is_too_bright(int64_t halo, int bits, const struct array_weight *weights)
{
    uint128 sum = weights[0].magnitude;

    for (int64_t k = 1; k <= halo; k++)
        sum = u128_add(sum, u128_shift_left(weights[k].magnitude, 1));
    return !u128_less(sum, u128_shift_left(u128_of(0, 1), (unsigned)bits + 2));
}

static enum status fail_too_bright(double sigma, struct error *error)
{
    return fail(error, STATUS_INVALID,
                "the analytic norm with sigma %g would make flat areas more than 4 times as bright "
                "in each direction, beyond what its sums can hold",
                sigma);
}

enum status gauss_weights(const struct filter_axis *axis, int order, double factor, enum norm norm,
                          int bits, struct array_weight *weights, struct error *error)
{
    const double sigma = axis->sigma > 0 ? axis->sigma : (double)axis->halo / 3;
    const struct fixed zero = {{0}};
    struct fixed g[MAX_HALO + 1], inverse, curvature, scale;

    memset(weights, 0, (size_t)(axis->halo + 1) * sizeof *weights);
    if (order == 0 && (axis->halo == 0 || sigma < MIN_SIGMA)) {
        complete(axis->halo, bits, weights);
        return axis->halo > 0 && norm == NORM_ANALYTIC ? fail_too_bright(sigma, error) : STATUS_OK;
    }
    if (order > 0 && is_too_large(axis, sigma, order, factor))
        return fail(error, STATUS_INVALID,
                    "a derivative of order %d with sigma %g has weights that are too large to be "
                    "exact; choose a larger sigma",
                    order, sigma);
    /* The default sigma is exactly a third of the halo. */
    inverse = axis->sigma > 0 ? fixed_inverse(fixed_of(fmin(sigma, MAX_SIGMA)))
                              : fixed_divide_by(fixed_of(3), (uint32_t)axis->halo);
    curvature = fixed_multiply(inverse, inverse);
    scale = fixed_multiply(curve_of(axis->halo, norm, inverse, curvature, g), fixed_of(factor));
    for (int64_t k = 0; k <= axis->halo; k++) {
        struct term w = {fixed_multiply(g[k], scale), order % 2 == 1};

        if (order > 0 && fixed_is_less(&zero, &w.magnitude)) {
            const struct term q = polynomial(order, k, curvature);

            w.magnitude = fixed_multiply(q.magnitude, w.magnitude);
            w.negative = q.negative != w.negative;
        }
        weights[k] = (struct array_weight){fixed_round(w.magnitude, bits), w.negative};
    }
    if (order == 0 && norm == NORM_SUM)
        complete(axis->halo, bits, weights);
    return norm == NORM_ANALYTIC && is_too_bright(axis->halo, bits, weights)
               ? fail_too_bright(sigma, error)
               : STATUS_OK;
}

void gauss_mirror(const struct array_weight *side, int64_t halo, uint64_t *weights)
{
    for (int64_t k = 0; k <= halo; k++)
        weights[halo + k] = weights[halo - k] = u128_low(side[k].magnitude);
}
