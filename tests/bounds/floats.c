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
#include "tests/bounds/trial.h"
#include "tests/variants/isa_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ATTACKED 16
#define TAPS (2 * MAX_ATTACKED + 1)
#define LINE (DOUBLES_BLOCK + 2 * MAX_ATTACKED)

/* A window of one sample, and the filter. */
struct attack {
    const struct smooth_float_loops *loops;
    struct request request;
    bool negative; /* samples of both signs: the bound is absolute; else relative */
    int64_t halo;
    double taps[MAX_ATTACKED + 1], whole;
    float window[TAPS][TAPS];
};

/* The path's: the first sample of a block. */
static double estimate(const struct attack *attack)
{
    static double sums[TAPS + 1][DOUBLES_BLOCK], out[2][DOUBLES_BLOCK];
    double *rows[TAPS + 1], *const to[2] = {out[0], out[1]};
    const int64_t taps = 2 * attack->halo + 1;

    for (int64_t i = 0; i < taps; i++) {
        double line[LINE] = {0};

        for (int64_t j = 0; j < taps; j++)
            line[j] = attack->window[i][j];
        attack->loops->filter_line(line + attack->halo, attack->taps, attack->halo, 1, sums[i],
                                   DOUBLES_BLOCK);
        rows[i] = sums[i];
    }
    rows[taps] = rows[taps - 1];
    attack->loops->sum_rows(rows, attack->taps, attack->halo, to, DOUBLES_BLOCK);
    return out[0][0];
}

/* The error of the estimate in parts of the bound. */
static double ratio(const struct attack *attack)
{
    const int64_t taps = 2 * attack->halo + 1;
    const double bound = smooth_floats_bound(&attack->request, false);
    struct float_sum total = {{0}};
    double value, size, peak = 0;

    for (int64_t i = 0; i < taps; i++) {
        struct float_sum row = {{0}};

        for (int64_t j = 0; j < taps; j++) {
            float_sum_add(&row, attack->request.weights_x[j], float_bits(attack->window[i][j]));
            peak = fmax(peak, fabs((double)attack->window[i][j]));
        }
        float_sum_add_sum(&total, attack->request.weights_y[i], &row);
    }
    value = estimate(attack);
    size = attack->negative ? attack->whole * peak : fabs(value);
    float_sum_subtract(&total, value);
    return fabs(float_sum_value(total)) / (bound * size);
}

/* Some binades below 1, of all significands. */
static float draw(const struct attack *attack, uint64_t counter)
{
    const uint64_t bits = trial_hash(counter);
    const uint32_t exponent = 127 - (uint32_t)(bits >> 24 & 3) * (uint32_t)(bits >> 26 & 7);
    const uint32_t sign = attack->negative && bits >> 40 & 1 ? FLOAT_SIGN : 0;
    const uint32_t sample = sign | exponent << 23 | (uint32_t)(bits & 0x7fffff);
    float value;

    memcpy(&value, &sample, sizeof value);
    return value;
}

static double anneal(struct attack *attack, int changes)
{
    const int64_t taps = 2 * attack->halo + 1;
    double best;

    for (int64_t i = 0; i < taps * taps; i++)
        attack->window[i / taps][i % taps] = draw(attack, (uint64_t)i);
    best = ratio(attack);
    for (int change = 0; change < changes; change++) {
        const uint64_t place = trial_hash((uint64_t)change + 1000000) % (uint64_t)(taps * taps);
        float *sample = &attack->window[place / (uint64_t)taps][place % (uint64_t)taps];
        const float before = *sample;
        double found;

        *sample = draw(attack, (uint64_t)change + 2000000);
        found = ratio(attack);
        if (found < best)
            *sample = before;
        else
            best = found;
    }
    return best;
}

/* Of one filter, with samples of both signs or of one. */
static double greatest(const struct isa *isa, int64_t halo, double sigma, bool negative,
                       int changes)
{
    static struct plane_filter weights;
    const struct filter_axis axis = {halo, sigma};
    const struct filter filter = {axis,           axis,          NORM_SUM, EDGE_CLAMP,
                                  ALPHA_SEPARATE, NAN_PROPAGATE, {0, 0}};
    struct attack attack = {
        .loops = isa->smooth_floats, .negative = negative, .halo = halo, .whole = 1};
    struct error error;

    if (plane_filter_make(&filter, &weights, &error) != STATUS_OK)
        exit(99);
    request_set_filter(&attack.request, &weights);
    for (int64_t k = 0; k <= halo; k++)
        attack.taps[k] = (double)attack.request.weights_x[halo + k] * 0x1p-46;
    return anneal(&attack, changes);
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
