/* SPDX-License-Identifier: MIT */
/* At large halos the variant smooth_cpu (an implementation of smoothing) replaces the weights of a
 * filter by a sum of a few cosines, and computes the sums over a window from the sums over the
 * previous window (arrays/series.h). This program compares the errors of such sums down columns
 * with their bound, in each instruction set of x86. The bound has two parts: how far the sum of
 * cosines is from the weights, which cosines_passes.c tests, and the roundings of the sums. This
 * filter is so flat that the roundings are most of its bound. Prints the largest error / bound, and
 * fails unless this ratio is from USUAL / 2 to 2 USUAL. USUAL is small, since the bound assumes
 * that all roundings have the same sign. Their signs differ, even in columns that oscillate with
 * the period of a cosine. */
#include "kernels/common/isa.h"
#include "kernels/smooth/arrays/host/cosines.h"
#include "kernels/smooth/arrays/host/recursions.h"
#include "src/bench/run/plane.h"
#include "tests/bounds/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 48   /* columns of the image, each with its own pattern */
#define ROWS 3000    /* rows of the result, a multiple of ARRAY_ROWS */
#define ENOUGH 1e-12 /* the fit ends when the errors of all weights sum to at most this */
#define USUAL 0.0025 /* the largest error / bound that was measured */

static const struct filter_axis flat = {200, 1e4};

/* The weights of an axis; the samples of COLUMNS columns, with the rows above and below the result
 * on which the sums depend; and the sums, which are the result. */
struct bench {
    struct plane_filter weights;
    struct cosine_series series;
    int64_t halo;
    uint32_t maxval;
    uint16_t samples[ROWS + 2 * MAX_HALO][COLUMNS];
    uint16_t zeros[COLUMNS];
    double state[(COLUMNS + ARRAY_ROWS) * MAX_GROUPS * GROUP_TERMS * 2];
    double sums[ROWS][COLUMNS];
};

static int64_t weight(const struct bench *bench, int64_t k)
{
    return (int64_t)bench->weights.x[bench->halo + k];
}

/* Returns a sample of column x. The first columns are white, black, alternately white and black,
 * noise, and randomly white or black. The others oscillate with the period of a cosine, some only
 * in the lower half. */
static uint16_t paint(const struct bench *bench, int64_t y, int64_t x)
{
    const uint64_t bits = trial_hash((uint64_t)(y * COLUMNS + x));
    const double period = 2 * (double)bench->halo / (0.3 + 0.13 * (double)(x - 6));
    const bool late = x % 2 == 1 && y < ROWS / 2;

    switch (x) {
    case 0:
        return (uint16_t)bench->maxval;
    case 1:
        return 0;
    case 2:
        return y % 2 ? (uint16_t)bench->maxval : 0;
    case 3:
        return (uint16_t)(bits % (bench->maxval + 1));
    case 4:
        return bits & 1 ? (uint16_t)bench->maxval : 0;
    default:
        return late                                                ? 0
               : fmod((double)y + period / 8, period) * 2 < period ? (uint16_t)bench->maxval
                                                                   : 0;
    }
}

static void paint_all(struct bench *bench)
{
    for (int64_t y = 0; y < ROWS + 2 * bench->series.halo; y++)
        for (int64_t x = 0; x < COLUMNS; x++)
            bench->samples[y][x] = paint(bench, y, x);
}

static const void *row(const struct bench *bench, int64_t y)
{
    return y < 0 || y >= ROWS + 2 * bench->series.halo ? bench->zeros : bench->samples[y];
}

static void sum_columns(struct bench *bench, const struct smooth_cosines_loops *loops)
{
    const int64_t halo = bench->series.halo, step = ARRAY_ROWS;
    struct array_descent descent = {
        .series = &bench->series, .bytes = sizeof bench->samples[0][0], .state = bench->state};

    memset(bench->state, 0, sizeof bench->state);
    for (int64_t y = -(2 * halo + step) / step * step; y < ROWS; y += step) {
        for (int64_t i = 0; i <= step; i++) {
            descent.entering[i] = row(bench, y + 2 * halo - 1 + i);
            descent.leaving[i] = row(bench, y - 2 + i);
        }
        for (int64_t i = 0; i < step; i++)
            descent.outs[i] = bench->sums[y < 0 ? i : y + i];
        loops->descend(&descent, COLUMNS);
    }
}

/* Returns the largest error / bound of every fourth row. The exact sums are integers of 64 bits. A
 * long double holds them exactly, or, if it is not longer than a double, to 53 bits. */
static double largest_ratio(const struct bench *bench)
{
    const int64_t halo = bench->series.halo;
    const double bound = cosines_error(&bench->series, ROWS) * bench->maxval;
    double largest = 0;

    for (int64_t y = 0; y < ROWS; y += 4)
        for (int64_t x = 0; x < COLUMNS; x++) {
            int64_t sum = 0;
            double error;

            for (int64_t k = -halo; k <= halo; k++)
                sum += weight(bench, k) * (int64_t)bench->samples[y + halo + k][x];
            error = fabs((double)((long double)bench->sums[y][x] - ldexpl((long double)sum, -46)));
            largest = error / bound <= largest ? largest : error / bound;
        }
    return largest;
}

/* Returns the largest error / bound of the instruction sets that the processor has. */
static double attack(struct bench *bench, uint32_t maxval)
{
    static const char *const names[] = {"base", "avx2", "avx512", "vnni"};
    const struct filter filter = {flat, flat, NORM_SUM, EDGE_ZERO};
    struct error error;
    double largest = 0;

    if (plane_filter_make(&filter, &bench->weights, &error) != STATUS_OK)
        exit(99);
    bench->halo = flat.halo;
    bench->maxval = maxval;
    if (!cosine_series_fit((struct axis_weights){bench->weights.x, flat.halo}, ENOUGH,
                           &bench->series))
        exit(99);
    paint_all(bench);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct isa *isa = isa_find(names[i]);
        double ratio;

        if (strcmp(isa->name, names[i]) != 0) /* the processor lacks this instruction set */
            continue;
        sum_columns(bench, isa->smooth_cosines);
        ratio = largest_ratio(bench);
        printf("%s, maxval %u: error / bound up to %.2g\n", names[i], maxval, ratio);
        largest = ratio <= largest ? largest : ratio;
    }
    return largest;
}

int main(void)
{
    static struct bench bench;
    const double largest = fmax(attack(&bench, 255), attack(&bench, 65535));

    return largest >= USUAL / 2 && largest <= 2 * USUAL ? 0 : 1;
}
