/* SPDX-License-Identifier: MIT */
#include "tests/random/weights.h"

#include "src/lib/smoothimg.h"

#include <math.h>

#define FRACTION 15 /* limbs after the binary point: 480 bits */
#define LIMBS 21    /* all limbs of a number */
#define MOST_ORDER 8
#define HALVINGS 16 /* exp(-x) is exp(-x / 2^16), squared 16 times */

/* A number in fixed point, truncated after FRACTION limbs. */
struct real {
    limb limbs[LIMBS];
    bool negative;
};

static struct real whole(uint64_t number)
{
    struct real made = {0};

    made.limbs[FRACTION] = (limb)number;
    made.limbs[FRACTION + 1] = (limb)(number >> 32);
    return made;
}

static struct real times(struct real a, struct real b)
{
    limb product[2 * LIMBS] = {0};
    struct real made = {.negative = a.negative != b.negative};

    big_add_product(product, 2 * LIMBS, a.limbs, LIMBS, b.limbs, LIMBS);
    memcpy(made.limbs, product + FRACTION, sizeof made.limbs);
    return made;
}

static struct real plus(struct real a, struct real b)
{
    const bool a_is_less = big_compare(a.limbs, LIMBS, 0, b.limbs, LIMBS, 0) < 0;
    struct real made = a_is_less ? b : a;

    big_add(made.limbs, a_is_less ? a.limbs : b.limbs, LIMBS, a.negative != b.negative);
    return made;
}

/* Returns 2^shift * a / b, by long division. */
static struct real quotient(struct real a, struct real b, int shift)
{
    limb rest[LIMBS + 1] = {0}, divisor[LIMBS + 1] = {0};
    struct real made = {.negative = a.negative != b.negative};

    memcpy(divisor, b.limbs, sizeof b.limbs);
    for (int bit = 32 * (LIMBS + FRACTION) + shift - 1; bit >= 0; bit--) {
        const int from = bit - 32 * FRACTION - shift;

        big_add(rest, rest, LIMBS + 1, false);
        rest[0] |= big_bits(a.limbs, LIMBS, from) & 1;
        if (big_compare(rest, LIMBS + 1, 0, divisor, LIMBS + 1, 0) < 0)
            continue;
        big_add(rest, divisor, LIMBS + 1, true);
        if (bit < 32 * LIMBS)
            made.limbs[bit / 32] |= (limb)1 << bit % 32;
    }
    return made;
}

static struct real part(struct real a, uint32_t divisor)
{
    uint64_t rest = 0;

    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | a.limbs[i];
        a.limbs[i] = (limb)(rest / divisor);
        rest %= divisor;
    }
    return a;
}

/* Returns 1 / sigma. Sigma 0 stands for halo / 3. */
static struct real inverse_sigma(double sigma, int64_t halo)
{
    int exponent;
    const double significand = frexp(sigma, &exponent);

    if (sigma == 0)
        return quotient(whole(3), whole((uint64_t)halo), 0);
    if (exponent > 400)
        return whole(0);
    return quotient(whole(1), whole((uint64_t)ldexp(significand, 53)), 53 - exponent);
}

/* Returns exp(-x). */
static struct real exponential(struct real x)
{
    struct real small = {0}, term = whole(1), sum = whole(1);

    if (big_length(x.limbs, LIMBS) > 32 * FRACTION + 9)
        return whole(0);
    for (int i = 0; i < LIMBS; i++)
        small.limbs[i] = big_bits(x.limbs, LIMBS, 32 * i + HALVINGS);
    small.negative = true;
    for (uint32_t i = 1; big_length(term.limbs, LIMBS) > 0; i++) {
        term = part(times(term, small), i);
        sum = plus(sum, term);
    }
    for (int i = 0; i < HALVINGS; i++)
        sum = times(sum, sum);
    return sum;
}

/* Computes the coefficients of the polynomial q whose product with a Gaussian is the Gaussian's
 * derivative of this order: q_0 = 1, q_{d+1}(k) = q_d'(k) - k * curvature * q_d(k). The curvature
 * is 1 / sigma^2. */
static void polynomial(int64_t order, struct real curvature, struct real q[MOST_ORDER + 1])
{
    memset(q, 0, (MOST_ORDER + 1) * sizeof *q);
    q[0] = whole(1);
    for (int64_t d = 0; d < order; d++) {
        struct real next[MOST_ORDER + 1] = {0};

        for (int i = 0; i <= d + 1; i++) {
            struct real lower = {0};

            if (i > 0)
                lower = times(q[i - 1], curvature);
            lower.negative = !lower.negative;
            if (i < MOST_ORDER)
                next[i] = plus(times(q[i + 1], whole((uint64_t)i + 1)), lower);
            else
                next[i] = lower;
        }
        memcpy(q, next, sizeof next);
    }
}

static struct real value_at(const struct real *q, int64_t order, int64_t k)
{
    struct real value = q[order];

    for (int64_t i = order - 1; i >= 0; i--)
        value = plus(times(value, whole((uint64_t)k)), q[i]);
    return value;
}

/* Returns floor(2^bits * |value| + 1/2), with the sign of `value`. */
static struct weight round_weight(struct real value, int bits)
{
    struct real half = {0};
    struct weight weight = {.negative = value.negative};
    const int unit = 32 * FRACTION - bits;

    half.limbs[(unit - 1) / 32] = (limb)1 << (unit - 1) % 32;
    big_add(value.limbs, half.limbs, LIMBS, false);
    for (int i = 0; i < WEIGHT_LIMBS; i++)
        weight.size[i] = big_bits(value.limbs, LIMBS, unit + 32 * i);
    return weight;
}

static void set_growth(struct weights *weights)
{
    limb sum[WEIGHT_LIMBS + 1] = {0};

    for (int64_t k = -weights->halo; k <= weights->halo; k++)
        big_add_product(sum, WEIGHT_LIMBS + 1, weights->at[MOST_HALO + k].size, WEIGHT_LIMBS,
                        (const limb[]){1}, 1);
    weights->growth = big_length(sum, WEIGHT_LIMBS + 1) + 1;
}

/* Sets the weight of the centre to 1. */
static void set_identity(int bits, struct weights *weights)
{
    big_add_shifted(weights->at[MOST_HALO].size, WEIGHT_LIMBS, 1, bits);
}

/* Sets the weight of the centre to 1 minus the sum of all others. */
static void complete(int bits, struct weights *weights)
{
    limb *centre = weights->at[MOST_HALO].size;

    memset(centre, 0, sizeof weights->at->size);
    set_identity(bits, weights);
    for (int64_t k = 1; k <= weights->halo; k++)
        for (int side = 0; side < 2; side++)
            big_add(centre, weights->at[MOST_HALO + k].size, WEIGHT_LIMBS, true);
}

/* Returns the factor that normalizes the weights g: 1 / (sum of g), or 1 / (sigma * sqrt(2 pi))
 * with SMOOTHIMG_ANALYTIC. It is multiplied by the scale's magnitude, unless the scale is 0. */
static struct real factor_of(const struct test_request *request, int term, int axis,
                             struct real inverse, const struct real *g, int64_t halo)
{
    /* 1 / sqrt(2 pi) */
    static const struct real root = {{0x278e9934, 0x70be1513, 0xeb142779, 0xb374e88d, 0x23f5d3ab,
                                      0x447d3db7, 0x9df8ac55, 0x02639d2e, 0xc0471b48, 0x512706d8,
                                      0xd3829f30, 0x2eae38bf, 0x3f2cf140, 0x50d94234, 0x662114cf},
                                     false};
    const int at = term * (int)request->axes + axis;
    const double scale = fabs(request->scale[at]);
    struct real sum = g[0], factor;
    int exponent;
    double significand;

    for (int64_t k = 1; k <= halo; k++)
        sum = plus(sum, plus(g[k], g[k]));
    factor =
        request->norm == SMOOTHIMG_ANALYTIC ? times(root, inverse) : quotient(whole(1), sum, 0);
    if (scale == 0)
        return factor;
    significand = frexp(scale, &exponent);
    return times(factor,
                 quotient(whole((uint64_t)ldexp(significand, 53)), whole(1), exponent - 53));
}

void weights_make(const struct test_request *request, int term, int axis, int bits,
                  struct weights *weights)
{
    static struct real g[MOST_HALO + 1];
    const int at = term * (int)request->axes + axis;
    const int64_t halo = request_radius(request, term, axis), order = request->order[at];
    const double sigma = request->sigma[at];
    const bool is_filtered = request_is_filtered(request, term, axis);
    struct real inverse, curvature, factor, q[MOST_ORDER + 1];

    weights->halo = is_filtered ? halo : 0;
    set_identity(bits, weights);
    if (is_filtered && (order > 0 || (halo > 0 && (sigma == 0 || sigma >= 0.05)))) {
        inverse = inverse_sigma(sigma, halo);
        curvature = times(inverse, inverse);
        for (int64_t k = 0; k <= halo; k++)
            g[k] = exponential(part(times(curvature, whole((uint64_t)(k * k))), 2));
        factor = factor_of(request, term, axis, inverse, g, halo);
        polynomial(order, curvature, q);
        for (int64_t k = 0; k <= halo; k++) {
            struct real value = times(times(value_at(q, order, k), g[k]), factor);

            weights->at[MOST_HALO - k] = round_weight(value, bits);
            value.negative ^= order % 2 == 1;
            if (k > 0)
                weights->at[MOST_HALO + k] = round_weight(value, bits);
        }
        if (order == 0 && request->norm == SMOOTHIMG_SUM)
            complete(bits, weights);
    }
    for (int64_t k = 0; k <= 2 * MOST_HALO && request->scale[at] < 0; k++)
        weights->at[k].negative ^= true;
    set_growth(weights);
}
