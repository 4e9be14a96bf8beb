/* SPDX-License-Identifier: MIT */
/* Fits a sum of cosines to the weights of an axis (series.h, which also defines the symbols). */
#include "kernels/smooth/arrays/host/series.h"

#include <float.h>
#include <math.h>

/* The least halo at which sums of cosines take less time than products with the weights. */
#define MIN_HALO 24
#define MAX_PERIOD (1 << 20)       /* greatest half period L */
#define ROUNDING (DBL_EPSILON / 2) /* u in series.h */

static const double pi = 3.14159265358979323846;

/* The function a * exp(-k^2 / (2 sigma^2)) of the distance k. */
struct gaussian {
    double a, sigma;
};

/* Fits the line log w(k) = log a - k^2 / (2 sigma^2) by least squares. Each squared error has the
 * weight w(k)^2, because all w(k) have the same absolute error. w(0) is left out, since it absorbs
 * the rounding errors of all other weights. */
static struct gaussian fit_gaussian(struct axis_weights weights)
{
    const double first = axis_weight(weights, 1);
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, mean_x, mean_y, slope;

    for (int64_t k = 1; k <= weights.halo; k++) {
        const double ratio = axis_weight(weights, k) / first, weight = ratio * ratio;

        n += weight;
        x += weight * (double)(k * k);
        y += weight * log(ratio);
    }
    mean_x = x / n;
    mean_y = y / n;
    for (int64_t k = 1; k <= weights.halo; k++) {
        const double ratio = axis_weight(weights, k) / first, weight = ratio * ratio;

        xx += weight * ((double)(k * k) - mean_x) * ((double)(k * k) - mean_x);
        xy += weight * ((double)(k * k) - mean_x) * (log(ratio) - mean_y);
    }
    slope = -xy / xx;
    return (struct gaussian){first * exp(mean_y + slope * mean_x),
                             slope > 0 ? sqrt(0.5 / slope) : INFINITY};
}

/* Returns cos(2 pi i / n); n is a multiple of 4. The result is off by at most 3 u (u is ROUNDING):
 * 2 u from the angle, which is at most pi / 4, and u from the sine. */
static double cosine(int64_t i, int64_t n)
{
    const int64_t j = i % n, quarter = n / 4, rest = j % quarter;
    const bool beyond = 2 * rest > quarter;
    const double angle = 2 * pi * (double)(beyond ? quarter - rest : rest) / (double)n;
    const double here = beyond ? sin(angle) : cos(angle), next = beyond ? cos(angle) : sin(angle);
    const double of_quarter[4] = {here, -next, -here, next};

    return of_quarter[j / quarter];
}

/* The cosines that are summed; series.h defines L and a. */
struct terms {
    int count;
    int64_t half_period; /* L */
    double a[MAX_GROUPS * GROUP_TERMS];
};

static double cosine_of(const struct terms *terms, int term, int64_t k)
{
    return cosine((2 * term + 1) * k, 4 * terms->half_period);
}

/* Chooses L, which is half the period (terms->half_period), so that two errors are equal: the
 * neighbouring copy of the Gaussian, whose centre is s sigma away from the halo's end, and the
 * first cosine that is left out. So s = pi count sigma / L, and halo + s sigma = 2 L. Returns false
 * if this L is too great (MAX_PERIOD), is not above the halo, or makes a t (series.h) greater than
 * 1. */
static bool choose_terms(struct gaussian gaussian, int64_t halo, int count, struct terms *terms)
{
    const double halos = (double)halo / gaussian.sigma;
    const double s = (sqrt(halos * halos + 8 * pi * count) - halos) / 2;
    const double half = ((double)halo + s * gaussian.sigma) / 2;

    if (!(half < MAX_PERIOD) || half < pi * count || half <= (double)halo)
        return false;
    terms->count = count;
    terms->half_period = (int64_t)half + 1;
    for (int m = 0; m < count; m++) {
        const double phase = pi * (m + 0.5) * gaussian.sigma / (double)terms->half_period;

        terms->a[m] = gaussian.a * gaussian.sigma * sqrt(2 * pi) / (double)terms->half_period *
                      exp(-phase * phase / 2);
    }
    return true;
}

/* Returns the sum of |w' - w| over all weights of the window, plus the rounding errors. Here w' is
 * the sum of the cosines, and w the weight. With A the sum of all a, each computed w' has an error
 * below (4 + 2 count) u A. The recursions add the y of all cosines, group by group; the rounding of
 * these sums adds (3 + MAX_GROUPS) u A for each weight. */
static double measure_off(struct axis_weights weights, const struct terms *terms)
{
    double off = 0;

    for (int m = 0; m < terms->count; m++)
        off += terms->a[m];
    off *= (double)(2 * weights.halo + 1) * (7 + MAX_GROUPS + 2 * terms->count) * ROUNDING;
    for (int64_t k = 0; k <= weights.halo; k++) {
        double value = -axis_weight(weights, k);

        for (int m = 0; m < terms->count; m++)
            value += terms->a[m] * cosine_of(terms, m, k);
        off += (k > 0 ? 2 : 1) * fabs(value);
    }
    return off * 1.001;
}

static void set_series(const struct terms *terms, struct cosine_series *series)
{
    const int64_t halo = series->halo;
    const double window = (double)(2 * halo + 1);

    series->groups = terms->count / GROUP_TERMS;
    series->rounding = 0;
    for (int m = 0; m < terms->count; m++) {
        struct cosine_group *group = &series->group[m / GROUP_TERMS];
        const double a = terms->a[m], t = pi * (m + 0.5) / (double)terms->half_period;
        const double difference = a * (t * window + 2), half_sine = sin(t / 2);

        group->feedback[m % GROUP_TERMS] = 4 * half_sine * half_sine;
        group->outer[m % GROUP_TERMS] = a * cosine_of(terms, m, halo);
        group->inner[m % GROUP_TERMS] = -a * cosine_of(terms, m, halo + 1);
        series->rounding +=
            1.01 * ROUNDING *
            ((3 * difference + 30 * a + 9 * t * t * a * window) / sin(t) + a * window / cos(t / 2));
    }
}

bool cosine_series_fit(struct axis_weights all, double enough, struct cosine_series *series)
{
    struct axis_weights weights = all;
    struct gaussian gaussian;

    while (weights.halo > 0 && weights.weights[0] == 0) { /* leaves out zeros at both ends */
        weights.weights++;
        weights.halo--;
    }
    series->halo = weights.halo;
    series->sum = axis_sum(weights);
    series->groups = 0;
    series->off = INFINITY;
    if (series->halo < MIN_HALO)
        return false;
    gaussian = fit_gaussian(weights);
    for (int groups = 1; groups <= MAX_GROUPS && series->off > enough; groups++) {
        struct terms terms;
        double off;

        if (!choose_terms(gaussian, series->halo, groups * GROUP_TERMS, &terms))
            continue;
        off = measure_off(weights, &terms);
        if (off < series->off) {
            series->off = off;
            set_series(&terms, series);
        }
    }
    return series->groups > 0;
}
