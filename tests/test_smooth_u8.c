/* SPDX-License-Identifier: MIT */
/* Is the bound of smooth_cpu's 8-bit estimate one? Measures the estimate before it is rounded, on
 * pictures that do their worst: white where the integers are above the weights they stand for, and
 * black where they are below. Compiled once for each level, together with that level's loops. */
#include "../kernels/smooth_u8_loops.c"

#include "gauss.h"
#include "level.h"

#include <math.h>
#include <stdio.h>

#define N U8_BLOCK

static int failures;

/* The samples at distance k from the centre. */
typedef uint8_t painter(const struct job *job, const struct smooth_u8_weights *weights, int64_t k);

static double w(const struct job *job, int64_t k)
{
    return k < -job->halo || k > job->halo ? 0 : (double)job->weights[job->halo + k] * 0x1p-46;
}

static int64_t integer_of(const struct smooth_u8_weights *weights, int64_t k)
{
    const int64_t place = weights->halo + 1 + k;

    return k < -weights->halo || k > weights->halo ? 0
           : weights->digits == 1
               ? weights->row[0][place]
               : weights->row[0][place] * (1 << DIGIT_BITS) + weights->row[1][place];
}

/* The scale of the integers is in the column's weights: w(0) 2^F / scale. */
static uint8_t paint_worst(const struct job *job, const struct smooth_u8_weights *weights,
                           int64_t k)
{
    const double scale = w(job, 0) * (1 << FRACTION_BITS) / (double)weights->column[0];

    return (double)integer_of(weights, k) / scale > w(job, k) ? 255 : 0;
}

static uint8_t paint_best(const struct job *job, const struct smooth_u8_weights *weights, int64_t k)
{
    return 255 - paint_worst(job, weights, k);
}

static uint8_t paint_white(const struct job *job, const struct smooth_u8_weights *weights,
                           int64_t k)
{
    (void)job, (void)weights, (void)k;
    return 255;
}

static uint8_t paint_noise(const struct job *job, const struct smooth_u8_weights *weights,
                           int64_t k)
{
    (void)job, (void)weights;
    return (uint8_t)((uint64_t)(k + 1000) * 0x9e3779b97f4a7c15 >> 40);
}

/* All rows alike, so that the second pass adds up what the first has lost. How far off is the
 * estimate in the middle, less what has been added to it? */
static double error_of(const struct job *job, const struct smooth_u8_weights *weights,
                       painter *paint)
{
    static int16_t line[N + 4 * (U8_MAX_HALO + 1)];
    static float row[N];
    float *rows[2 * U8_MAX_HALO + 2] = {0};
    floats sums[2][2 * PAIRS];
    double exact = 0, all = 0, loss = 0;

    for (int64_t i = 0; i < N + 2 * U8_MAX_HALO; i++)
        line[U8_MAX_HALO + 1 + i] = paint(job, weights, i - U8_MAX_HALO);
    filter_line(line + 2 * U8_MAX_HALO + 1, weights, 1, row, N);
    for (int64_t k = -job->halo; k <= job->halo; k++) {
        exact += w(job, k) * paint(job, weights, k);
        all += w(job, k);
    }
    for (int64_t i = 0; i < 2 * job->halo + 2; i++)
        rows[i] = row;
    sum_rows(rows, weights, job->halo, 0, sums);
    loss = (double)sums[0][0][0] / (1 << FRACTION_BITS) - exact * all;
    return fabs(loss - 0.5 - weights->bound); /* at most the bound on either side */
}

static void check(const struct filter *filter)
{
    static painter *const painters[] = {paint_worst, paint_best, paint_white, paint_noise};
    uint64_t numbers[2 * MAX_HALO + 1];
    struct smooth_u8_weights weights;
    struct error error;
    struct job job = {.halo = filter->halo, .maxval = 255, .weights = numbers};
    double worst = 0;

    job.src = (struct view){.channels = 1, .sample_bytes = 1};
    if (gauss_weights(filter, numbers, &error) != STATUS_OK || !smooth_u8_serves(&job))
        return;
    smooth_u8_prepare(&job, &weights);
    for (size_t i = 0; i < sizeof painters / sizeof painters[0]; i++)
        worst = fmax(worst, error_of(&job, &weights, painters[i]));
    printf("halo %d, sigma %g: bound %.2e, worst seen %.2e\n", (int)filter->halo,
           gauss_sigma(filter), weights.bound, worst);
    failures += worst > weights.bound;
    failures += weights.bound > 0.01; /* a bound that is of use */
}

int main(int argc, char **argv)
{
    static const double sigmas[] = {0, 0.3, 1.5, 40};
    const int other = argc > 1 ? level_check(argv[1]) : 2;

    if (other)
        return other;
    for (int64_t halo = 0; halo <= U8_MAX_HALO; halo++)
        for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++)
            check(&(struct filter){.halo = halo, .sigma = sigmas[i], .norm = NORM_SUM});
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
