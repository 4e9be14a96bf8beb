/* SPDX-License-Identifier: MIT */
#include "tests/variants/cases/cases.h"

#include "tests/variants/cases/fills.h"
#include "tests/variants/cases/filters.h"
#include "tests/variants/cases/float_fills.h"
#include "tests/variants/cases/groups.h"
#include "tests/variants/cases/hash.h"
#include "tests/variants/cases/standing.h"

#include <stdio.h>

/* Single pixels, lines, and one less than, as much as and one more than the tiles in use. */
static const struct {
    int width, height;
} sizes[] = {{1, 1},    {1, 7},    {5, 1},     {2, 2},    {1, 97},  {97, 1},   {11, 12},
             {12, 13},  {13, 11},  {31, 32},   {32, 33},  {33, 31}, {63, 64},  {64, 65},
             {65, 63},  {127, 3},  {128, 2},   {129, 5},  {3, 257}, {1023, 2}, {1024, 3},
             {1025, 2}, {2, 1031}, {101, 103}, {144, 96}, {17, 190}};

static const int blocks[] = {0, 0, 12, 1, 32, 7};

static int alpha_index(int number)
{
    return number < CASE_COUNT ? 0 : (number - CASE_COUNT) / COUNT(sizes) % ALPHA_FILL_COUNT;
}

/* Of colours. Of images beside those of general cases: black tells of nothing, and an
 * impulse would often be hidden. */
static int colours_index(int number)
{
    static const int telling[] = {4, 3, 1, 6, 5};

    return number < CASE_COUNT ? number / COUNT(sizes) % FILL_COUNT
                               : telling[hash((uint64_t)number, 12) % (uint64_t)COUNT(telling)];
}

int case_count(enum op op)
{
    return op == OP_SMOOTH ? FIRST_STANDING_CASE + STANDING_CASE_COUNT
                           : FIRST_STANDING_MOVE + STANDING_MOVE_COUNT;
}

bool case_is_standing(enum op op, int number)
{
    return number >= (op == OP_SMOOTH ? FIRST_STANDING_CASE : FIRST_STANDING_MOVE);
}

/* Of floats: the first for each size and fill, the others with the hostile filters. */
static int float_index(int number, enum op op)
{
    const int first = op == OP_SMOOTH ? FIRST_FLOAT_CASE : CASE_COUNT;
    const int count = op == OP_SMOOTH ? FLOAT_CASE_COUNT : FLOAT_PICTURE_COUNT;

    return number >= first && number < first + count ? number - first : -1;
}

static int float_fill_index(int i)
{
    return i < FLOAT_PICTURE_COUNT ? i / COUNT(sizes) % FLOAT_FILL_COUNT
                                   : (int)(hash((uint64_t)i, 24) % FLOAT_FILL_COUNT);
}
_Static_assert(FLOAT_PICTURE_COUNT == COUNT(sizes) * FLOAT_FILL_COUNT,
               "every size with every fill");

static void make_float(struct test_case *test, int i, enum op op)
{
    const uint64_t seed = (uint64_t)test->number;

    test->shape.maxval = FLOAT_SAMPLES;
    test->colours = float_fill_index(i);
    test->fill = float_fill_name(test->colours);
    if (op != OP_SMOOTH)
        return;
    test->skip_nan = hash(seed, 23) % 3 == 0;
    if (i < FLOAT_PICTURE_COUNT) {
        test->shape.width = sizes[i % COUNT(sizes)].width;
        test->shape.height = sizes[i % COUNT(sizes)].height;
        test->filter = filter_of(seed, &test->shape, float_fill_is_chequer(test->colours), 2000000);
        return;
    }
    set_hostile(test, i - FLOAT_PICTURE_COUNT);
    make_small(test);
}

struct test_case case_of(int number, enum op op)
{
    const uint64_t seed = (uint64_t)number;
    const int size = number % COUNT(sizes);
    struct test_case test = {
        .number = number,
        .shape = {.width = sizes[size].width,
                  .height = sizes[size].height,
                  .channels = (int32_t)(hash(seed, 5) % 3 != 0 ? 1 : 1 + hash(seed, 6) % 9),
                  .maxval = case_maxval(seed)},
        .colours = colours_index(number),
        .alpha = alpha_index(number),
        .fill = fill_name(colours_index(number)),
        .margin = (int64_t)(hash(seed, 8) % 3),
        .threads = 1 + (int)(hash(seed, 9) % 5),
        .block = blocks[hash(seed, 11) % (uint64_t)COUNT(blocks)],
        .blocks_down = hash(seed, 26) % 3 == 0 ? 2 : 0,
    };

    if (float_index(number, op) >= 0) {
        make_float(&test, float_index(number, op), op);
        return test;
    }
    if (op != OP_SMOOTH && case_is_standing(op, number)) {
        make_standing_move(&test, number - FIRST_STANDING_MOVE);
        return test;
    }
    if (case_is_standing(op, number)) {
        make_standing(&test, number - FIRST_STANDING_CASE);
        return test;
    }
    if (number >= FIRST_FILTER_CASE) {
        (number < FIRST_AXES_CASE    ? make_hostile
         : number < FIRST_LARGE_CASE ? make_axes
                                     : make_large)(&test);
        return test;
    }
    if (number >= CASE_COUNT) {
        weigh(&test);
        test.fill = alpha_fill_name(test.alpha);
    }
    if (op == OP_SMOOTH)
        test.filter = filter_of(seed, &test.shape, fill_is_chequer(test.colours),
                                test.weighted ? 2000000 : 8000000); /* takes four times as long */
    return test;
}

void case_describe(const struct test_case *test, char *text, size_t size)
{
    static const char *const edges[] = {"clamp", "reflect", "mirror", "wrap", "zero"};

    snprintf(
        text, size,
        "case %d: %dx%d, %d channels, maxval %u, %s%s%s; halo %d,%d, sigma %g,%g, %s, norm %s; "
        "margin %d, %d threads, block %d, blocks down %d",
        test->number, (int)test->shape.width, (int)test->shape.height, (int)test->shape.channels,
        (unsigned)test->shape.maxval, test->weighted ? "weighted by alpha: " : "",
        test->skip_nan ? "NaN skipped: " : "", test->fill, (int)test->filter.x.halo,
        (int)test->filter.y.halo, gauss_sigma(&test->filter.x), gauss_sigma(&test->filter.y),
        edges[test->filter.edge], test->filter.norm == NORM_SUM ? "sum" : "analytic",
        (int)test->margin, test->threads, test->block, test->blocks_down);
}
