/* SPDX-License-Identifier: MIT */
#include "gauss.h"

#include "exact.h"
#include "gauss_memory.h"

#include <math.h>
#include <mpfr.h>

/* Far more than the 80 bits that the floor of 2^46 g / S needs to come out the same everywhere. */
#define PRECISION 256

const char *gauss_mpfr_version(void)
{
    return mpfr_get_version();
}

double gauss_sigma(const struct filter *filter)
{
    return filter->halo == 0 ? 0 : filter->sigma > 0 ? filter->sigma : (double)filter->halo / 3;
}

double gauss_halo_of(double sigma)
{
    const double product = 3 * sigma;
    const bool rounded_down_to_integer = product == ceil(product) && fma(3, sigma, -product) > 0;

    return ceil(product) + rounded_down_to_integer;
}

/* The exact third, where sigma is the default: a double would round it. */
static void set_sigma(mpfr_t sigma, const struct filter *filter)
{
    if (filter->sigma > 0) {
        mpfr_set_d(sigma, filter->sigma, MPFR_RNDN);
        return;
    }
    mpfr_set_si(sigma, (long)filter->halo, MPFR_RNDN);
    mpfr_div_ui(sigma, sigma, 3, MPFR_RNDN);
}

/* g = exp(-(k / sigma)^2 / 2) */
static void evaluate(mpfr_t g, int64_t k, const mpfr_t sigma)
{
    mpfr_set_si(g, (long)k, MPFR_RNDN);
    mpfr_div(g, g, sigma, MPFR_RNDN);
    mpfr_sqr(g, g, MPFR_RNDN);
    mpfr_div_2ui(g, g, 1, MPFR_RNDN);
    mpfr_neg(g, g, MPFR_RNDN);
    mpfr_exp(g, g, MPFR_RNDN);
}

/* What the values of g are divided by: their sum, or the area under the whole curve. */
static void set_divisor(mpfr_t divisor, const struct filter *filter, const mpfr_t sigma,
                        mpfr_t work)
{
    if (filter->norm == NORM_ANALYTIC) {
        mpfr_const_pi(divisor, MPFR_RNDN);
        mpfr_mul_2ui(divisor, divisor, 1, MPFR_RNDN);
        mpfr_sqrt(divisor, divisor, MPFR_RNDN);
        mpfr_mul(divisor, divisor, sigma, MPFR_RNDN);
        return;
    }
    mpfr_set_ui(divisor, 1, MPFR_RNDN); /* g(0) */
    for (int64_t k = 1; k <= filter->halo; k++) {
        evaluate(work, k, sigma);
        mpfr_mul_2ui(work, work, 1, MPFR_RNDN);
        mpfr_add(divisor, divisor, work, MPFR_RNDN);
    }
}

/* floor(2^46 g(k) / divisor + 1/2); UINT64_MAX if it is too large for the sums anyway. */
static uint64_t weight(int64_t k, const mpfr_t sigma, const mpfr_t divisor, mpfr_t work)
{
    evaluate(work, k, sigma);
    mpfr_div(work, work, divisor, MPFR_RNDN);
    mpfr_mul_2ui(work, work, WEIGHT_BITS, MPFR_RNDN);
    mpfr_add_d(work, work, 0.5, MPFR_RNDN);
    if (mpfr_cmp_ui_2exp(work, 1, WEIGHT_BITS + 2) >= 0)
        return UINT64_MAX;
    return (uint64_t)mpfr_get_d(work, MPFR_RNDZ); /* below 2^48: exact once its fraction is cut */
}

/* Both halves of the table and the centre; *total is their sum, or UINT64_MAX if it is too large.
 */
static void fill_table(const struct filter *filter, uint64_t *weights, uint64_t *total)
{
    uint64_t *centre = weights + filter->halo;
    uint64_t others = 0;
    mpfr_t sigma, divisor, work;

    mpfr_inits2(PRECISION, sigma, divisor, work, (mpfr_ptr)0);
    set_sigma(sigma, filter);
    set_divisor(divisor, filter, sigma, work);
    for (int64_t k = 1; k <= filter->halo; k++) {
        centre[k] = centre[-k] = weight(k, sigma, divisor, work);
        others += 2 * centre[k];
    }
    centre[0] = filter->norm == NORM_SUM ? ((uint64_t)1 << WEIGHT_BITS) - others
                                         : weight(0, sigma, divisor, work);
    /* The centre is the largest weight: if any is too large, it is. */
    *total = centre[0] == UINT64_MAX ? UINT64_MAX : others + centre[0];
    mpfr_clears(sigma, divisor, work, (mpfr_ptr)0);
    mpfr_mp_memory_cleanup(); /* of this thread: its memory goes next */
}

enum status gauss_weights(const struct filter *filter, uint64_t *weights, struct error *error)
{
    uint64_t total;

    if (filter->halo == 0) {
        weights[0] = (uint64_t)1 << WEIGHT_BITS;
        return STATUS_OK;
    }
    if (!gauss_memory_open())
        return fail(error, STATUS_INPUT, "no memory for the filter's weights");
    fill_table(filter, weights, &total);
    gauss_memory_close();
    if (total >= (uint64_t)4 << WEIGHT_BITS)
        return fail(
            error, STATUS_USAGE,
            "--norm analytic with sigma %g would make flat areas more than 4 times as bright "
            "in each direction, beyond what its sums can hold; use a larger --sigma, or --norm sum",
            gauss_sigma(filter));
    return STATUS_OK;
}
