/* SPDX-License-Identifier: MIT */
/* Attacks the bound of smooth_cpu's floats (kernels/smooth/cpu/floats/floats.h): changes the
 * samples of a window, keeps what brings the estimate of the path's own loops further from the
 * exact sum, and prints the greatest error in parts of the bound. Fails above 1, and if the attack
 * reaches less than it did, as it would with a bound that is far too large.
 *
 *     floats_bound [CHANGES]     to each window: 20000 if not given */
#include "kernels/common/isa.h"
#include "kernels/smooth/cpu/doubles/doubles.h"
#include "kernels/smooth/cpu/floats/floats.h"
#include "kernels/smooth/cpu/floats/loops.h"
#include "kernels/smooth/floats/floats.h"
#include "tests/bounds/exact_floats.h"
#include "tests/bounds/float_window.h"
#include "tests/variants/isa_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE (DOUBLES_BLOCK + 2 * WINDOW_HALO)

/* A window of one sample, and the filter. */
struct attack {
    const struct smooth_float_loops *loops;
    struct request request;
    struct float_window window; /* of both signs the bound is absolute; else relative */
    double taps[WINDOW_HALO + 1], whole;
};

/* The path's: the first sample of a block. */
static double estimate(const struct attack *attack)
{
    static double sums[WINDOW_TAPS + 1][DOUBLES_BLOCK], out[2][DOUBLES_BLOCK];
    double *rows[WINDOW_TAPS + 1], *const to[2] = {out[0], out[1]};
    const int64_t taps = 2 * attack->window.halo + 1;

    for (int64_t i = 0; i < taps; i++) {
        double line[LINE] = {0};

        for (int64_t j = 0; j < taps; j++)
            line[j] = attack->window.samples[i][j];
        attack->loops->filter_line(line + attack->window.halo, attack->taps, attack->window.halo, 1,
                                   sums[i], DOUBLES_BLOCK);
        rows[i] = sums[i];
    }
    rows[taps] = rows[taps - 1];
    attack->loops->sum_rows(rows, attack->taps, attack->window.halo, to, DOUBLES_BLOCK);
    return out[0][0];
}

/* The error of the estimate in parts of the bound. */
static double ratio(const void *context)
{
    const struct attack *attack = context;
    const int64_t taps = 2 * attack->window.halo + 1;
    const double bound = smooth_floats_bound(&attack->request, false);
    struct float_sum total = {{0}};
    double value, size, peak = 0;

    for (int64_t i = 0; i < taps; i++) {
        struct float_sum row = {{0}};

        for (int64_t j = 0; j < taps; j++) {
            float_sum_add(&row, attack->request.weights_x[j],
                          float_bits(attack->window.samples[i][j]));
            peak = fmax(peak, fabs((double)attack->window.samples[i][j]));
        }
        float_sum_add_sum(&total, attack->request.weights_y[i], &row);
    }
    value = estimate(attack);
    size = attack->window.negative ? attack->whole * peak : fabs(value);
    float_sum_subtract(&total, value);
    return fabs(float_sum_value(total)) / (bound * size);
}

/* Of one filter, with samples of both signs or of one. */
static double greatest(const struct isa *isa, int64_t halo, double sigma, bool negative,
                       int changes)
{
    static struct plane_filter weights;
    const struct filter_axis axis = {halo, sigma};
    const struct filter filter = {axis, axis, NORM_SUM, EDGE_CLAMP};
    struct attack attack = {
        .loops = isa->smooth_floats, .window = {.halo = halo, .negative = negative}, .whole = 1};
    struct error error;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    request_set_filter(&attack.request, &weights);
    for (int64_t k = 0; k <= halo; k++)
        attack.taps[k] = (double)attack.request.weights_x[halo + k] * 0x1p-46;
    return float_window_anneal(&attack.window, changes, ratio, &attack);
}

int main(int argc, char **argv)
{
    static const struct {
        int64_t halo;
        double sigma;
    } filters[] = {{0, 0}, {1, 0}, {1, 1e9}, {2, 0}, {4, 0}, {4, 1e9}, {16, 0}};
    static const double wanted[2] = {0.22, 0.14};
    const char *name = getenv("SMOOTHIMG_CPU");
    const int skipped = isa_check(name), changes = argc > 1 ? atoi(argv[1]) : 20000;
    double most[2] = {0, 0};

    if (skipped)
        return skipped;
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++)
        for (int negative = 0; negative < 2; negative++) {
            const double found = greatest(isa_find(name), filters[f].halo, filters[f].sigma,
                                          negative, filters[f].halo > 4 ? changes / 16 : changes);

            printf("%s, halo %d, sigma %g, %s: %.3f of the bound\n", isa_find(name)->name,
                   (int)filters[f].halo, filters[f].sigma, negative ? "both signs" : "one sign",
                   found);
            most[negative] = fmax(most[negative], found);
        }
    printf("the greatest: %.3f and %.3f\n", most[0], most[1]);
    return most[0] > 1 || most[1] > 1 || most[0] < wanted[0] || most[1] < wanted[1];
}
