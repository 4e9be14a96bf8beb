/* SPDX-License-Identifier: MIT */
/* Attacks the bounds of arrays' estimates in doubles (kernels/smooth/arrays/bounds.h): changes the
 * samples of a window, keeps what brings the estimate of the engine's own loops further from the
 * exact sum, and prints the greatest error in parts of the bound. Fails above 1, and if the attack
 * reaches less, or more, than it did.
 *
 *     arrays_bound [CHANGES]     to each window: 20000 if not given */
#include "kernels/common/isa.h"
#include "kernels/smooth/arrays/scheme.h"
#include "src/lib/filter/gauss.h"
#include "tests/bounds/exact_floats.h"
#include "tests/bounds/float_window.h"
#include "tests/variants/isa_check.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_ATTACKED 8
#define TAPS (2 * MAX_ATTACKED + 1)
#define LINE (ARRAY_BLOCK + 2 * MAX_ATTACKED)
#define MOST_TERMS 2

/* A window of one sample, which is the result's row number `row` of those that share what they
 * read, and a filter of two axes. */
struct attack {
    struct array_job job;
    struct array_taps taps[MOST_TERMS * 2];
    struct array_weight weights[MOST_TERMS * 2][MAX_HALO + 1];
    struct array_scheme scheme;
    const struct array_loops *loops;
    int row;
    struct float_window window;
};

/* Filters all rows into those of a node of the first stage. */
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
        const int64_t line = i - attack->row + attack->window.halo - taps->halo;

        memset(lines[i], 0, sizeof lines[i]);
        for (int64_t j = 0; j < TAPS && line >= 0 && line < TAPS; j++)
            lines[i][j] = attack->window.samples[line][j];
        rows[i] = lines[i];
    }
    for (int i = 0; i < ARRAY_TILE_ROWS; i++)
        pass.outs[i] = out[i];
    attack->loops->sum(&pass, LINE / ARRAY_BLOCK * ARRAY_BLOCK);
}

static double estimate(const struct attack *attack)
{
    static double sums[MOST_TERMS][ARRAY_TILE_ROWS][LINE];
    const struct stage *stage = &attack->scheme.stage[1];
    const struct node *root = &stage->node[attack->scheme.root[0]];
    const double bounds[1] = {0};
    struct array_part parts[MOST_TERMS];
    const int ends[] = {root->inputs};
    const struct array_line line = {
        .parts = parts, .ends = ends, .roots = 1, .step = 1, .bounds = bounds};
    double out[2 * ARRAY_BLOCK];

    for (int n = 0; n < attack->scheme.stage[0].nodes; n++)
        filter_node(attack, &attack->scheme.stage[0].node[n], sums[n]);
    for (int i = 0; i < root->inputs; i++) {
        const struct axis_taps *taps = &stage->set[root->input[i].taps];

        parts[i] = (struct array_part){sums[root->input[i].node][attack->row] + attack->window.halo,
                                       taps->taps, taps->halo, taps->odd, taps->dense};
    }
    attack->loops->sum_line(&line, ARRAY_BLOCK, out);
    return out[0];
}

/* Adds what a term makes of the window to the sum. */
static void add_exact(const struct attack *attack, const struct array_taps *taps,
                      struct float_sum *total)
{
    for (int64_t i = -attack->window.halo; i <= attack->window.halo; i++) {
        const struct array_weight *down = &taps[0].weights[i < 0 ? -i : i];
        const bool below = down->negative != (taps[0].odd && i < 0);
        struct float_sum row = {{0}};

        for (int64_t j = -attack->window.halo; j <= attack->window.halo; j++) {
            const struct array_weight *along = &taps[1].weights[j < 0 ? -j : j];
            const bool negative = below != (along->negative != (taps[1].odd && j < 0));
            const float sample =
                attack->window.samples[attack->window.halo + i][attack->window.halo + j];

            float_sum_add(&row, u128_low(along->magnitude),
                          float_bits(negative ? -sample : sample));
        }
        float_sum_add_sum(total, u128_low(down->magnitude), &row);
    }
}

/* The error of the estimate in parts of the bound. */
static double ratio(const void *context)
{
    const struct attack *attack = context;
    const struct array_scheme *scheme = &attack->scheme;
    const double value = estimate(attack);
    struct float_sum total = {{0}};
    double peak = 0, bound;

    for (int t = 0; t < attack->job.terms; t++)
        add_exact(attack, attack->taps + 2 * t, &total);
    for (int64_t i = 0; i < (2 * attack->window.halo + 1) * (2 * attack->window.halo + 1); i++)
        peak = fmax(peak, fabs((double)attack->window.samples[i / (2 * attack->window.halo + 1)]
                                                             [i % (2 * attack->window.halo + 1)]));
    bound = attack->window.negative || !scheme->keeps_plain ? scheme->per_peak * peak
                                                            : scheme->relative * fabs(value);
    float_sum_subtract(&total, value);
    return fabs(float_sum_value(total)) / bound;
}

struct filter_case {
    int64_t halo;
    double sigma;
    int terms, orders[MOST_TERMS * 2];
};

static double greatest(const struct isa *isa, const struct filter_case *filter, bool negative,
                       int row, int changes)
{
    static struct attack attack;
    static double memory[16 * (TAPS + 2 * TAPS_PAD + 8)];
    const struct filter_axis axis = {filter->halo, filter->sigma};
    uintptr_t place = (uintptr_t)memory;
    struct error error;

    attack.job = (struct array_job){
        .axes = 2,
        .shape = {TAPS + ARRAY_TILE_ROWS, LINE},
        .extent = {TAPS + ARRAY_TILE_ROWS, LINE},
        .src = {.type = SAMPLE_F32, .strides = {LINE * sizeof(float), sizeof(float)}},
        .dst = {.type = SAMPLE_F32, .strides = {LINE * sizeof(float), sizeof(float)}},
        .filtered = 2,
        .axis = {0, 1},
        .halo = {filter->halo, filter->halo},
        .bits = array_weight_bits(SAMPLE_F32, SAMPLE_F32),
        .terms = filter->terms,
        .taps = attack.taps,
        .isa = isa,
    };
    attack.loops = isa->arrays;
    attack.window.halo = filter->halo;
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

int main(int argc, char **argv)
{
    static const struct filter_case filters[] = {
        {1, 0.33, 1, {0, 0}}, {1, 1e9, 1, {0, 0}}, {3, 1, 1, {0, 0}},       {4, 1e9, 1, {0, 0}},
        {8, 2, 1, {0, 0}},    {4, 1, 1, {1, 0}},   {4, 1, 1, {0, 1}},       {4, 1, 1, {2, 0}},
        {4, 1, 1, {0, 2}},    {1, 1, 1, {2, 1}},   {4, 1, 2, {2, 0, 0, 2}}, {1, 1, 2, {2, 0, 0, 2}},
    };
    static const double floors[2] = {0.14, 0.14}, ceilings[2] = {0.32, 0.32};
    const char *name = getenv("SMOOTHIMG_CPU");
    const int skipped = isa_check(name), changes = argc > 1 ? atoi(argv[1]) : 20000;
    double most[2] = {0, 0};
    bool wrong = false;

    if (skipped)
        return skipped;
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++)
        for (int negative = 0; negative < 2; negative++) {
            const int row = (int)(f % ARRAY_TILE_ROWS);
            const double found = greatest(isa_find(name), &filters[f], negative, row,
                                          filters[f].halo > 2 ? changes / 8 : changes);

            printf("%s, filter %d, %s: %.3f of the bound\n", isa_find(name)->name, (int)f,
                   negative ? "both signs" : "one sign", found);
            most[negative] = fmax(most[negative], found);
        }
    for (int i = 0; i < 2; i++)
        wrong = wrong || !(most[i] >= floors[i] && most[i] <= ceilings[i]);
    printf("the greatest: %.3f and %.3f\n", most[0], most[1]);
    return wrong;
}
