/* SPDX-License-Identifier: MIT */
/* Tests the error bounds of kernels/smooth/arrays/bounds.h. The engine of arrays, the
 * implementation that filters any array, estimates each result by a sum in doubles. The test
 * searches for the windows of samples and weights with the largest error / bound: it changes a
 * window at random, and takes back each change that makes this ratio smaller. The engine's own
 * loops make the estimate. Prints the largest ratio, and fails if it is outside the range that was
 * measured before.
 *
 *     arrays_bound [CHANGES]     changes to a window, 20000 by default; an eighth of that number
 *                                if the filter's halo is above 2 */
#include "kernels/common/isa.h"
#include "kernels/smooth/arrays/host/loops.h"
#include "kernels/smooth/arrays/scheme.h"
#include "src/lib/filter/gauss.h"
#include "tests/bounds/exact_floats.h"
#include "tests/bounds/float_window.h"
#include "tests/variants/isa_check.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_ATTACKED 8 /* the greatest halo that is tried */
#define TAPS (2 * MAX_ATTACKED + 1)
#define MOST_NUMBERS 2 /* doubles for each pixel: its sample and, for means, its weight */
/* Doubles in a line, which has ARRAY_BLOCK neighbouring pixels and the halo on both sides. */
#define LINE (MOST_NUMBERS * (ARRAY_BLOCK + 2 * MAX_ATTACKED))
#define MOST_TERMS 2

/* A window of samples, and a filter along two axes. The engine computes ARRAY_TILE_ROWS rows of
 * results together; the result of the window is in row `row` of these. */
struct attack {
    struct array_job job;
    struct array_taps taps[MOST_TERMS * 2]; /* [2 * term + axis]; axis 0: down columns */
    struct array_weight weights[MOST_TERMS * 2][MAX_HALO + 1]; /* [2 * term + axis][distance] */
    struct array_scheme scheme;
    const struct array_loops *loops;
    int64_t halo;
    int row;
    /* Rows 0..2 halo of window.samples are samples. If the result is a mean, the following
     * 2 halo + 1 rows are numbers that give the samples' weights (weight_at). */
    struct float_window window;
};

static bool has_alpha(const struct attack *attack)
{
    return attack->job.weighing == ARRAY_BY_ALPHA;
}

static bool is_mean(const struct attack *attack)
{
    return attack->job.weighing != ARRAY_ALIKE;
}

/* Returns a sample's weight: its alpha, or, if there is no alpha, 0 for a sample that is made NaN
 * and 1 for others. The middle sample is never made NaN. */
static double weight_at(const struct attack *attack, int64_t i, int64_t j)
{
    const double drawn = fabs((double)attack->window.samples[2 * attack->halo + 1 + i][j]);

    return has_alpha(attack) ? drawn : drawn > 0.25 || (i == attack->halo && j == attack->halo);
}

static void load_line(const struct attack *attack, int64_t i, double *line)
{
    const float *const samples = attack->window.samples[i];

    for (int64_t j = 0; j < TAPS; j++)
        if (has_alpha(attack)) {
            line[2 * j] = samples[j];
            line[2 * j + 1] = weight_at(attack, i, j);
        } else
            line[j] = is_mean(attack) && weight_at(attack, i, j) == 0 ? NAN : samples[j];
    if (has_alpha(attack))
        attack->loops->weigh_by_alpha(2, TAPS, line, NULL);
    else if (is_mean(attack))
        attack->loops->weigh_numbers(1, TAPS, line, NULL);
}

/* Filters the window down its columns with the taps of `node`, a node of the scheme's first stage.
 * A scheme (scheme.h) has a stage for each filtered axis; a node is a sum of passes along this
 * axis. */
static void filter_node(const struct attack *attack, const struct node *node,
                        double out[ARRAY_TILE_ROWS][LINE])
{
    const struct axis_taps *taps = &attack->scheme.stage[0].set[node->input[0].taps];
    static double lines[TAPS + ARRAY_TILE_ROWS][LINE];
    const void *rows[TAPS + ARRAY_TILE_ROWS];
    struct array_pass pass = {.rows = rows,
                              .taps = taps->taps,
                              .halo = taps->halo,
                              .count = ARRAY_TILE_ROWS,
                              .odd = taps->odd};

    for (int64_t i = 0; i < 2 * taps->halo + ARRAY_TILE_ROWS; i++) {
        const int64_t line = i - attack->row + attack->halo - taps->halo;

        memset(lines[i], 0, sizeof lines[i]);
        if (line >= 0 && line < TAPS)
            load_line(attack, line, lines[i]);
        rows[i] = lines[i];
    }
    for (int i = 0; i < ARRAY_TILE_ROWS; i++)
        pass.outs[i] = out[i];
    attack->loops->sum(&pass, LINE / ARRAY_BLOCK * ARRAY_BLOCK);
}

/* Returns the greatest magnitude of the samples and, if alpha weights them, of alpha. */
static double peak_of(const struct attack *attack)
{
    const int64_t taps = 2 * attack->halo + 1, rows = has_alpha(attack) ? 2 * taps : taps;
    double peak = 0;

    for (int64_t i = 0; i < rows * taps; i++)
        peak = fmax(peak, fabs((double)attack->window.samples[i / taps][i % taps]));
    return peak;
}

/* Returns true if no sample and no tap is negative, and the result is a single sum (scheme.h). */
static bool is_plain(const struct attack *attack)
{
    return !attack->window.negative && attack->scheme.bounds.keeps_plain;
}

/* Replaces the sums of weighted samples in `sums` by means: divides them by the sums of weights.
 * Returns the bound on the error of the first mean, computed as in
 * kernels/smooth/arrays/host/results.c.
 */
static double take_means(const struct attack *attack, double *sums)
{
    const struct array_scheme *scheme = &attack->scheme;
    const double peak = peak_of(attack), weights_peak = has_alpha(attack) ? peak : 1;
    const double most = has_alpha(attack) ? fmax(peak, peak * peak) : peak;
    const double of_sums[1] = {scheme->bounds.per_peak[0] * most + scheme->bounds.tiny};
    double bounds[1];
    uint8_t none[MOST_NUMBERS * ARRAY_BLOCK];
    const struct array_means means = {
        .group = scheme->pixel.group,
        .n = scheme->pixel.samples,
        .drops = !has_alpha(attack),
        .one = 1,
        .is_plain = is_plain(attack),
        .proves_zeros = is_plain(attack),
        .sums = of_sums,
        .weights_bound = scheme->bounds.per_peak[0] * weights_peak + scheme->bounds.tiny,
        .weights_relative = has_alpha(attack) ? INFINITY : scheme->bounds.relative,
        .rounds = 0x1p-51,
        .bounds = bounds,
        .none = none};

    attack->loops->take_means(&means, sums);
    return is_plain(attack) ? scheme->bounds.mean_relative * fabs(sums[0]) : bounds[0];
}

/* Sets *value to the estimate of the window's result. Returns the bound of the estimate's error. */
static double estimate(const struct attack *attack, double *value)
{
    const int64_t numbers = attack->scheme.pixel.numbers;
    static double sums[MOST_TERMS][ARRAY_TILE_ROWS][LINE];
    const struct stage *stage = &attack->scheme.stage[1];
    const struct node *root = &stage->node[attack->scheme.root[0]];
    const double bounds[1] = {0};
    struct array_part parts[MOST_TERMS];
    const struct array_line line = {
        .parts = parts, .count = root->inputs, .step = numbers, .bounds = bounds};
    double out[2 * MOST_NUMBERS * ARRAY_BLOCK], bound;

    for (int n = 0; n < attack->scheme.stage[0].nodes; n++)
        filter_node(attack, &attack->scheme.stage[0].node[n], sums[n]);
    for (int i = 0; i < root->inputs; i++) {
        const struct axis_taps *taps = &stage->set[root->input[i].taps];

        parts[i] =
            (struct array_part){sums[root->input[i].node][attack->row] + attack->halo * numbers,
                                taps->taps, taps->halo, taps->odd, taps->dense};
    }
    attack->loops->sum_line(&line, ARRAY_BLOCK, out);
    bound = is_mean(attack)    ? take_means(attack, out)
            : is_plain(attack) ? attack->scheme.bounds.relative * fabs(out[0])
                               : attack->scheme.bounds.per_peak[0] * peak_of(attack);
    *value = out[0];
    return bound;
}

/* What a sample adds to a sum. SAMPLES: the sample. WEIGHED: the sample times its weight. WEIGHTS:
 * the weight times a factor. The factor is 1; or, to subtract a mean from each sample, it is one of
 * the three floats whose sum is the negated mean. */
enum part { SAMPLES, WEIGHED, WEIGHTS };

static double number_at(const struct attack *attack, enum part part, double factor, int64_t i,
                        int64_t j)
{
    const double sample = attack->window.samples[i][j],
                 weight = is_mean(attack) ? weight_at(attack, i, j) : 1;

    return part == SAMPLES ? sample : weight * (part == WEIGHED ? sample : factor);
}

/* Adds a term's exact sum over the window to *total. `factor` must be the value of a float. */
static void add_exact(const struct attack *attack, const struct array_taps *taps, enum part part,
                      double factor, struct float_sum *total)
{
    for (int64_t i = -attack->halo; i <= attack->halo; i++) {
        const struct array_weight *down = &taps[0].weights[i < 0 ? -i : i];
        const bool below = down->negative != (taps[0].odd && i < 0);
        struct float_sum row = {{0}};

        for (int64_t j = -attack->halo; j <= attack->halo; j++) {
            const struct array_weight *along = &taps[1].weights[j < 0 ? -j : j];
            const bool negative = below != (along->negative != (taps[1].odd && j < 0));
            const double number =
                number_at(attack, part, factor, attack->halo + i, attack->halo + j);

            float_sum_add_double(&row, u128_low(along->magnitude), negative ? -number : number);
        }
        float_sum_add_sum(total, u128_low(down->magnitude), &row);
    }
}

/* Returns the error of the weighted mean `value`: (sum of weighted samples - value * sum of
 * weights) / sum of weights. `value` must be an exact sum of three floats. */
static double error_of_mean(const struct attack *attack, double value)
{
    struct float_sum total = {{0}}, weights = {{0}};

    add_exact(attack, attack->taps, WEIGHED, 0, &total);
    add_exact(attack, attack->taps, WEIGHTS, 1, &weights);
    for (int part = 0; part < 3; part++) {
        const float piece = (float)value;

        add_exact(attack, attack->taps, WEIGHTS, -piece, &total);
        value -= piece;
    }
    return float_sum_value(total) / float_sum_value(weights);
}

static double error_of_sum(const struct attack *attack, double value)
{
    struct float_sum total = {{0}};

    for (int t = 0; t < attack->job.terms; t++)
        add_exact(attack, attack->taps + 2 * t, SAMPLES, 0, &total);
    float_sum_subtract(&total, value);
    return float_sum_value(total);
}

/* Returns the ratio of the estimate's error to its bound. */
static double ratio(const void *context)
{
    const struct attack *attack = context;
    double value;
    const double bound = estimate(attack, &value);

    return fabs(is_mean(attack) ? error_of_mean(attack, value) : error_of_sum(attack, value)) /
           bound;
}

struct filter_case {
    int64_t halo;
    double sigma;
    int terms, orders[MOST_TERMS * 2]; /* orders of derivatives: [2 * term + axis] */
};

static double greatest(const struct isa *isa, const struct filter_case *filter,
                       enum array_weighing weighing, bool negative, int row, int changes)
{
    static struct attack attack;
    static double memory[16 * (TAPS + 2 * TAPS_PAD + 8)];
    const struct filter_axis axis = {filter->halo, filter->sigma};
    const int64_t samples = weighing == ARRAY_BY_ALPHA ? 2 : 1, bytes = sizeof(float);
    uintptr_t place = (uintptr_t)memory;
    struct error error;

    attack.job = (struct array_job){
        .axes = samples > 1 ? 3 : 2,
        .shape = {TAPS + ARRAY_TILE_ROWS, LINE / samples, samples},
        .extent = {TAPS + ARRAY_TILE_ROWS, LINE / samples, samples},
        .src = {.type = SAMPLE_F32,
                .strides = {LINE * sizeof(float), samples * bytes, sizeof(float)}},
        .dst = {.type = SAMPLE_F32,
                .strides = {LINE * sizeof(float), samples * bytes, sizeof(float)}},
        .filtered = 2,
        .axis = {0, 1},
        .halo = {filter->halo, filter->halo},
        .bits = array_weight_bits(SAMPLE_F32, SAMPLE_F32),
        .terms = filter->terms,
        .taps = attack.taps,
        .weighing = weighing,
        .isa = isa,
    };
    attack.loops = isa->arrays;
    attack.halo = filter->halo;
    attack.window.halo = weighing != ARRAY_ALIKE ? 2 * filter->halo + 1 : filter->halo;
    attack.window.negative = negative;
    attack.row = row;
    for (int i = 0; i < 2 * filter->terms; i++) {
        const int order = filter->orders[i];

        attack.taps[i] = (struct array_taps){attack.weights[i], order % 2 == 1, EDGE_CLAMP};
        if (gauss_weights(&axis, order, 1, NORM_SUM, attack.job.bits, attack.weights[i], &error) !=
            STATUS_OK)
            exit(99);
    }
    array_make_scheme(&attack.job, false, &place, &attack.scheme);
    return float_window_anneal(&attack.window, changes, ratio, &attack);
}

enum { SMOOTHS = 3, FILTERS = 12 }; /* the first SMOOTHS filters are tried with means, too */

int main(int argc, char **argv)
{
    static const struct filter_case filters[FILTERS] = {
        {1, 0.33, 1, {0, 0}}, {1, 1e9, 1, {0, 0}}, {3, 1, 1, {0, 0}},       {4, 1e9, 1, {0, 0}},
        {8, 2, 1, {0, 0}},    {4, 1, 1, {1, 0}},   {4, 1, 1, {0, 1}},       {4, 1, 1, {2, 0}},
        {4, 1, 1, {0, 2}},    {1, 1, 1, {2, 1}},   {4, 1, 2, {2, 0, 0, 2}}, {1, 1, 2, {2, 0, 0, 2}},
    };
    static const char *const weighings[3] = {"sums", "means by alpha", "means without NaN"};
    /* The limits of the greatest error / bound: [weighing][samples have both signs]. */
    static const double floors[3][2] = {{0.14, 0.14}, {0.1, 0.03}, {0.07, 0.05}};
    static const double ceilings[3][2] = {{0.32, 0.32}, {0.22, 0.12}, {0.15, 0.13}};
    const char *name = getenv("SMOOTHIMG_CPU");
    const int skipped = isa_check(name), changes = argc > 1 ? atoi(argv[1]) : 20000;
    bool wrong = false;

    if (skipped)
        return skipped;
    for (int kind = 0; kind < 6; kind++) {
        const enum array_weighing weighing = (enum array_weighing)(kind / 2);
        const bool negative = kind % 2;
        double most = 0;

        for (int f = 0; f < (weighing == ARRAY_ALIKE ? FILTERS : SMOOTHS); f++) {
            const double found =
                greatest(isa_find(name), &filters[f], weighing, negative, f % ARRAY_TILE_ROWS,
                         filters[f].halo > 2 ? changes / 8 : changes);

            printf("%s, filter %d: %.3f of the bound\n", isa_find(name)->name, f, found);
            most = fmax(most, found);
        }
        printf("the greatest of %s, %s: %.3f\n", weighings[weighing],
               negative ? "both signs" : "one sign", most);
        wrong =
            wrong || !(most >= floors[weighing][negative] && most <= ceilings[weighing][negative]);
    }
    return wrong;
}
