/* SPDX-License-Identifier: MIT */
/* Computes the tables of linear light in fixed-point numbers with 256 bits of fraction, so that
 * they are the same on every machine. */
#include "src/files/light/light.h"

#include "src/lib/filter/fixed.h"

#include <stdbool.h>
#include <string.h>

/* A transfer curve f, which decodes a sample x in 0..1 to linear light. It is computed at
 * x = j / (2 maxval): even j are samples, odd j are midpoints between two samples.
 *
 *     j <= linear    f = j slope_up / (slope_down maxval)
 *     j > linear     f = ((step j + base) / (2 step maxval + base))^(p / q) */
struct curve {
    uint64_t linear, slope_up, slope_down;
    uint32_t step, base, p, q;
};

/* sRGB's formulas, on the left in x, on the right with x = j / (2 maxval):
 *
 *     x <= 0.04045            100000 j <= 8090 maxval
 *     x / 12.92               25 j / (646 maxval)
 *     (x + 0.055) / 1.055     (100 j + 11 maxval) / (211 maxval) */
static struct curve curve_of(uint32_t maxval, uint32_t gamma)
{
    if (gamma == LIGHT_SRGB)
        return (struct curve){8090 * (uint64_t)maxval / 100000, 25, 646, 100, 11 * maxval, 12, 5};
    return (struct curve){0, 0, 1, 1, 0, 100000, gamma};
}

/* Returns (1 - d / n)^(p / q) for 0 <= d < n, by the binomial series with the terms
 *
 *     t(0) = 1,   t(k) = t(k - 1) (d / n) ((k - 1) q - p) / (k q)
 *
 * Rounding adds less than 2^-253 to the error of each term, and the factors of all later terms
 * enlarge an error less than 16 times. There are about 260 terms if d / n is 1/2, and 16 terms if
 * it is 2^-16. The result is off by less than 2^-230. */
static struct fixed power_of_step(uint32_t d, uint32_t n, uint32_t p, uint32_t q)
{
    const struct fixed zero = fixed_of(0);
    struct fixed sum = fixed_of(1), term = sum;
    bool negative = false;

    for (uint32_t k = 1; memcmp(&term, &zero, sizeof term) != 0; k++) {
        const uint32_t up = (k - 1) * q;

        term = fixed_divide_by(fixed_multiply_by(term, d), n);
        term = fixed_divide_by(fixed_multiply_by(term, up < p ? p - up : up - p), k * q);
        negative ^= up < p;
        sum = negative ? fixed_subtract(sum, term) : fixed_add(sum, term);
    }
    return sum;
}

/* The state of a computation that goes through a curve from j = 2 maxval down, where j counts
 * halves of a sample's unit. y is the power in the formula of struct curve, ((step j + base) / (2
 * step maxval + base))^(p / q). It is 1 at the start; each next y is computed from the y of the
 * previous j. */
struct walk {
    const struct curve *curve;
    uint32_t maxval, j;
    struct fixed y;
};

/* Moves *walk down to j, which is at most walk->j. Returns 65535 y: rounded to the nearest integer
 * at a sample (even j), rounded up at a midpoint (odd j). After 2^17 steps the error of y is below
 * 2^-200.
 *
 * The error does not matter: the rounded result changes only where y is L / 131070, with an odd L
 * at a sample and an even L at a midpoint. y is never such a number, and it is out of the question
 * that y is within 2^-200 of one by chance. For sRGB, y = (a / b)^(12/5), where a / b is in lowest
 * terms, is rational only if a and b are fifth powers; the denominator of y is then a twelfth
 * power, and 131070 = 2 * 3 * 5 * 17 * 257 has no such factor but 1. With a gamma maxval is odd, as
 * in every PNG, and y = (j / (2 maxval))^(100000 / gamma). Cancel a 2 in j / (2 maxval) at a
 * sample, and in L / 131070 at a midpoint. The equation y = L / 131070, raised to the power `gamma`
 * and multiplied by its denominators, then has an odd integer on one side and an even one on the
 * other. */
static uint32_t power_level(struct walk *walk, uint32_t j)
{
    const struct curve *curve = walk->curve;
    const bool is_sample = j % 2 == 0;
    struct fixed y;

    walk->y = fixed_multiply(walk->y, power_of_step(curve->step * (walk->j - j),
                                                    curve->step * walk->j + curve->base, curve->p,
                                                    curve->q));
    walk->j = j;
    y = fixed_multiply_by(walk->y, LIGHT_MAXVAL);
    if (is_sample)
        y = fixed_add(y, fixed_divide_by(fixed_of(1), 2));
    return (uint32_t)fixed_floor(y) + !is_sample;
}

/* Returns 65535 f at x = j / (2 maxval), where f is the transfer curve: rounded to the nearest
 * integer at a sample (even j), rounded up at a midpoint (odd j). */
static uint32_t level_at(struct walk *walk, uint32_t j)
{
    const struct curve *curve = walk->curve;
    const uint64_t over = curve->slope_down * walk->maxval;

    if (j > curve->linear)
        return power_level(walk, j);
    if (j % 2 == 0)
        return (uint32_t)((2 * LIGHT_MAXVAL * curve->slope_up * j + over) / (2 * over));
    return (uint32_t)((LIGHT_MAXVAL * curve->slope_up * j + over - 1) / over);
}

/* Fills the tables from the largest j down, because the power in the curve's formula is known
 * there: it is 1. A sample x in 0..1 is j / (2 maxval). */
void light_make(struct light *light, uint32_t maxval, uint32_t gamma)
{
    const struct curve curve = curve_of(maxval, gamma);
    struct walk walk = {&curve, maxval, 2 * maxval, fixed_of(1)};
    uint32_t end = LIGHT_MAXVAL + 1; /* encode is filled from this index on */

    light->maxval = maxval;
    light->gamma = gamma;
    light->alpha_factor = (LIGHT_MAXVAL / maxval - 1) | 1;
    for (uint32_t j = 2 * maxval; j > 0; j--) {
        const uint32_t level = level_at(&walk, j);

        if (j % 2 == 0)
            light->decode[j / 2] = (uint16_t)level;
        else
            while (end > level)
                light->encode[--end] = (uint16_t)(j / 2 + 1);
    }
    light->decode[0] = 0;
    memset(light->encode, 0, end * sizeof *light->encode);
}
