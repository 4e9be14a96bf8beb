/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/standing.h"

#include "tests/variants/cases/fills.h"
#include "tests/variants/cases/filters.h"
#include "tests/variants/cases/float_fills.h"
#include "tests/variants/cases/hash.h"

#define MOST_STEPS 400000 /* of the reference, for two different axes */

/* What samples are: each has code of its own. */
enum {
    BYTES,
    COLOURS,
    FEW,
    WORDS,
    WORD_COLOURS,
    PAIRS,
    ALPHA,
    WORDS_ALPHA,
    FLOATS,
    FLOAT_COLOURS,
    HOLES,
    WHOLE
};
static const struct {
    uint32_t maxval;
    int32_t channels;
    bool weighted, skip_nan;
    int fill;
} kinds[] = {[BYTES] = {255, 1, false, false, 4},
             [COLOURS] = {255, 3, false, false, 5},
             [FEW] = {15, 1, false, false, 5},
             [WORDS] = {65535, 1, false, false, 5},
             [WORD_COLOURS] = {65535, 3, false, false, 5},
             [PAIRS] = {4095, 2, false, false, 4},
             [ALPHA] = {255, 4, true, false, 4},
             [WORDS_ALPHA] = {65535, 2, true, false, 4},
             [FLOATS] = {FLOAT_SAMPLES, 1, false, false, 0},
             [FLOAT_COLOURS] = {FLOAT_SAMPLES, 3, false, false, 14},
             [HOLES] = {FLOAT_SAMPLES, 1, false, true, 10},
             [WHOLE] = {FLOAT_SAMPLES, 1, false, true, 0}}; /* no NaN: may be summed as it is */

/* Images that have two parts, or more, of what the README's table names. */
static const struct {
    int width, height, kind, halo_x, halo_y;
    int blocks_down; /* as in struct test_case */
    bool apart;      /* likewise: one for each path of the CPU */
} parts[] = {
    {3100, 9, BYTES, 1, 1, 0, true},           {1100, 7, COLOURS, 4, 4, 1, false},
    {700, 6, BYTES, 6, 6, 0, false},           {2200, 9, WORDS, 1, 1, 0, true},
    {600, 3, PAIRS, 1, 33, 0, true},           {700, 9, ALPHA, 2, 2, 0, true},
    {1200, 9, WORDS_ALPHA, 2, 1, 1, false},    {8300, 9, FLOATS, 1, 1, 0, true},
    {2600, 5, FLOATS, 2, 12, 0, false},        {8300, 3, HOLES, 1, 1, 0, true},
    {2800, 9, FLOAT_COLOURS, 1, 1, 1, false},  {8300, 2, BYTES, 26, 1, 0, true},
    {3, 8300, WORDS, 1, 26, 0, false},         {300, 140, BYTES, 5, 5, 0, false},
    {300, 140, COLOURS, 2, 2, 1, false},       {40, 140, WORDS, 7, 7, 1, false},
    {70, 70, FLOATS, 5, 5, 1, false},          {9, 9, BYTES, 104, 104, 0, false},
    {9, 9, WORDS, 500, 20, 1, false},          {9, 9, FLOATS, 500, 20, 0, false},
    {9, 9, HOLES, 46, 46, 1, false},           {9, 9, ALPHA, 300, 20, 0, false},
    {140, 60, WORD_COLOURS, 20, 20, 1, false}, {300, 40, WORD_COLOURS, 3, 3, 0, true},
};

/* Two different axes, of small images: one halo with two sigmas, and halo 0 beside another, at the
 * halos for which paths are made: a window of rows, products of half floats, of bytes, the CPU's
 * cosines, transforms. */
static const struct {
    int kind;
    struct filter_axis axes[2];
    enum norm norm;
} pairs[] = {
    {BYTES, {{2, 0.6}, {2, 1.1}}, NORM_SUM},
    {BYTES, {{4, 2.5}, {4, 1.3}}, NORM_ANALYTIC},
    {BYTES, {{12, 3}, {12, 5}}, NORM_SUM},
    {BYTES, {{26, 9}, {26, 6}}, NORM_ANALYTIC},
    {BYTES, {{66, 18}, {66, 30}}, NORM_SUM},
    {BYTES, {{200, 66}, {200, 40}}, NORM_SUM},
    {BYTES, {{0, 0}, {2, 0}}, NORM_ANALYTIC},
    {BYTES, {{4, 0}, {0, 0}}, NORM_SUM},
    {BYTES, {{0, 0}, {12, 5}}, NORM_SUM},
    {BYTES, {{26, 0}, {0, 0}}, NORM_ANALYTIC},
    {BYTES, {{0, 0}, {26, 0}}, NORM_SUM},
    {BYTES, {{200, 40}, {0, 0}}, NORM_SUM},
    {COLOURS, {{4, 2.5}, {4, 1.3}}, NORM_SUM},
    {COLOURS, {{12, 3}, {12, 5}}, NORM_ANALYTIC},
    {COLOURS, {{0, 0}, {26, 0}}, NORM_SUM},
    {FEW, {{2, 0.6}, {2, 1.1}}, NORM_SUM},
    {FEW, {{26, 9}, {26, 6}}, NORM_ANALYTIC},
    {WORDS, {{2, 0.6}, {2, 1.1}}, NORM_ANALYTIC},
    {WORDS, {{4, 2.5}, {4, 1.3}}, NORM_SUM},
    {WORDS, {{12, 3}, {12, 5}}, NORM_SUM},
    {WORDS, {{26, 9}, {26, 6}}, NORM_SUM},
    {WORDS, {{66, 18}, {66, 30}}, NORM_ANALYTIC},
    {WORDS, {{200, 40}, {200, 66}}, NORM_SUM},
    {WORDS, {{0, 0}, {2, 0}}, NORM_SUM},
    {WORDS, {{12, 5}, {0, 0}}, NORM_ANALYTIC},
    {WORDS, {{0, 0}, {26, 0}}, NORM_SUM},
    {WORDS, {{0, 0}, {200, 66}}, NORM_SUM},
    {PAIRS, {{4, 2.5}, {4, 1.3}}, NORM_ANALYTIC},
    {PAIRS, {{0, 0}, {12, 5}}, NORM_SUM},
    {ALPHA, {{2, 0.6}, {2, 1.1}}, NORM_SUM},
    {ALPHA, {{12, 3}, {12, 5}}, NORM_ANALYTIC},
    {ALPHA, {{26, 9}, {26, 6}}, NORM_SUM},
    {ALPHA, {{0, 0}, {2, 0}}, NORM_SUM},
    {ALPHA, {{26, 0}, {0, 0}}, NORM_ANALYTIC},
    {WORDS_ALPHA, {{4, 2.5}, {4, 1.3}}, NORM_SUM},
    {WORDS_ALPHA, {{12, 3}, {12, 5}}, NORM_SUM},
    {WORDS_ALPHA, {{0, 0}, {12, 5}}, NORM_ANALYTIC},
    {FLOATS, {{2, 0.6}, {2, 1.1}}, NORM_SUM},
    {FLOATS, {{12, 3}, {12, 5}}, NORM_ANALYTIC},
    {FLOATS, {{26, 9}, {26, 6}}, NORM_SUM},
    {FLOATS, {{0, 0}, {2, 0}}, NORM_ANALYTIC},
    {FLOATS, {{26, 0}, {0, 0}}, NORM_SUM},
    {FLOAT_COLOURS, {{4, 2.5}, {4, 1.3}}, NORM_SUM},
    {HOLES, {{2, 0.6}, {2, 1.1}}, NORM_SUM},
    {HOLES, {{12, 3}, {12, 5}}, NORM_ANALYTIC},
    {HOLES, {{0, 0}, {2, 0}}, NORM_ANALYTIC},
    {HOLES, {{26, 0}, {0, 0}}, NORM_SUM},
    {HOLES, {{4, 0}, {0, 0}}, NORM_ANALYTIC},
    {WHOLE, {{0, 0}, {2, 0}}, NORM_ANALYTIC},
    {WHOLE, {{0, 0}, {26, 0}}, NORM_SUM},
    {WHOLE, {{4, 0}, {0, 0}}, NORM_ANALYTIC},
    {WHOLE, {{12, 3}, {12, 5}}, NORM_ANALYTIC},
    {WHOLE, {{26, 9}, {26, 6}}, NORM_SUM},
    {WHOLE, {{66, 18}, {66, 30}}, NORM_SUM},
};
_Static_assert(STANDING_CASE_COUNT == COUNT(parts) + COUNT(pairs), "each of them");

/* Of transpose and reverse. */
static const struct {
    int width, height, kind;
    bool apart;
} moves[] = {
    {520, 530, BYTES, false},  {530, 520, COLOURS, false},     {140, 600, BYTES, false},
    {140, 600, WORDS, false},  {70, 600, FLOATS, false},       {2100, 140, BYTES, false},
    {1100, 140, WORDS, false}, {600, 140, FLOATS, false},      {70, 140, PAIRS, true},
    {70, 140, COLOURS, true},  {5000, 3, FLOATS, false},       {1500, 2, FLOAT_COLOURS, false},
    {5700, 2, COLOURS, false}, {70, 140, FLOAT_COLOURS, false}};
_Static_assert(STANDING_MOVE_COUNT == COUNT(moves), "each of them");

static void set_kind(struct test_case *test, int kind)
{
    const bool floats = kinds[kind].maxval == FLOAT_SAMPLES;

    test->shape.maxval = kinds[kind].maxval;
    test->shape.channels = kinds[kind].channels;
    test->weighted = kinds[kind].weighted;
    test->skip_nan = kinds[kind].skip_nan;
    test->colours = kinds[kind].fill;
    test->fill = floats ? float_fill_name(test->colours) : fill_name(test->colours);
}

static void make_part(struct test_case *test, int i)
{
    set_kind(test, parts[i].kind);
    test->alpha = 5;
    test->shape.width = parts[i].width;
    test->shape.height = parts[i].height;
    test->filter.x = (struct filter_axis){parts[i].halo_x, 0};
    test->filter.y = (struct filter_axis){parts[i].halo_y, 0};
    test->threads = 1; /* else each would have a band of its own, and that no second part */
    test->blocks_down = parts[i].blocks_down;
    test->apart = parts[i].apart;
}

/* Flat where the filter is large. */
static void make_pair(struct test_case *test, int i)
{
    static const int alphas[] = {5, 7, 2}; /* holes, noise, even */
    struct shape *shape = &test->shape;
    int64_t taps;

    set_kind(test, pairs[i].kind);
    test->alpha = alphas[i % COUNT(alphas)];
    test->filter.x = pairs[i].axes[0];
    test->filter.y = pairs[i].axes[1];
    test->filter.norm = pairs[i].norm;
    taps = shape->channels * taps_of(&test->filter);
    shape->width = 61;
    shape->height = 19;
    while (shape->height > 2 && shape->width * shape->height * taps > MOST_STEPS)
        shape->height--;
    while (shape->width > 9 && shape->width * shape->height * taps > MOST_STEPS)
        shape->width--;
}

void make_standing(struct test_case *test, int i)
{
    test->filter.edge = (enum edge)(i % 5);
    if (i < COUNT(parts))
        make_part(test, i);
    else
        make_pair(test, i - COUNT(parts));
}

void make_standing_move(struct test_case *test, int i)
{
    set_kind(test, moves[i].kind);
    test->weighted = test->skip_nan = false;
    test->shape.width = moves[i].width;
    test->shape.height = moves[i].height;
    test->blocks_down = 1;
    test->apart = moves[i].apart;
}
